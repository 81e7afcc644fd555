import { by } from '@/lib/collections/compare';
import { findRejectedField } from '@/lib/nacks/find-rejected-field';
import { type ClientRejection, type NackGroup, stateOfRejection, timesOf } from '@/lib/nacks/nack-group';
import { parseNackText } from '@/lib/nacks/parse-nack-text';
import { statementsOfResource } from '@/lib/nacks/statements-of-resource';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { profileOfClient } from '@/lib/resolve/client-profile';
import { reactionOrder } from '@/lib/validate/reactions';
import type { Finding, ValidatedResource } from '@/lib/validate/validate-resource';
import { describeAcceptingVersion } from '@/lib/views/nacks/accepting-version';
import { buildNackRow, compareRejections } from '@/lib/views/nacks/build-nack-row';
import type { NackClient, NackDetail, NackStatementRow } from '@/lib/views/nacks/schema';
import type { Profile } from '@/lib/xds/profile';
import type { Codec } from '../../codec/codec';
import type { Validator } from '../../compute/validate/document-validator';
import { findRowContexts } from '../../compute/validate/row-contexts';
import type { LiveState } from '../../live/live-state';
import { findRejectedBody, type RejectedBody } from '../../live/nacks/find-rejected-body';
import type { Recorder } from '../../store/recorder/recorder';
import type { KnownSettings } from '../subjects/known-settings';

export interface NackDetailParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly recorder: Pick<Recorder, 'readBody' | 'readHistory'>;
  readonly codec: Pick<Codec, 'render'>;
  readonly validate: Pick<Validator, 'validateBodies'>;
  readonly findSettings: (clientId: string) => KnownSettings;
  /** Returns undefined if there is no such client. */
  readonly listResources: (clientId: string) => Promise<readonly ResourceRow[] | undefined>;
  readonly signal?: AbortSignal | undefined;
}

const clientsShown = 1_000;
const findingsShown = 200;
/** Longer JSON is not parsed to find a field, because that would block the event loop. */
const maxJsonChars = 4 * 1024 * 1024;

/** Builds a group of NACKs with the payload, the rejected field, our findings, and the state of each client. */
export async function buildNackDetail(group: NackGroup, parts: NackDetailParts): Promise<NackDetail> {
  const { world } = parts.live;
  const nodeIdOf = (clientId: string): string => world.get(clientId)?.node.id ?? clientId;
  const rejections = [...group.clients.values()].sort(compareRejections);
  const rejected = await findRejectedBody(group, { ...parts, world, nodeIdOf });
  const rejection = rejected?.rejection ?? rejections[0];
  const profile = profileOf(rejection, parts);
  const validated = rejected === undefined ? undefined : await validateRejected(group, rejected, parts);
  const { findings } = validated ?? { findings: [] };
  const sorted = [...findings].sort(by((each) => rankOf(each, profile)));
  const json = rejected === undefined ? undefined : await readJson(rejected, parts);
  const endings = rejections.flatMap(({ ended }) => (ended?.by.kind === 'accepted' ? [ended.by] : []));
  const resolved = endings.find(({ hash }) => hash !== null) ?? endings[0];
  const statements = readStatements(group, json, findings, profile);
  return {
    group: buildNackRow(group, nodeIdOf, statements[0]?.field?.path),
    text: group.text,
    statements,
    clients: rejections.slice(0, clientsShown).map((each) => clientRow(each, world)),
    payload: rejected?.payload,
    absence: rejected === undefined ? absenceOf(rejections) : '',
    profile,
    findings: sorted.slice(0, findingsShown).map((finding) => ({ ...finding })),
    // The client may have rejected another payload.
    ...(validated &&
      rejected?.payload.isWarning === false && {
        acceptingVersion: describeAcceptingVersion(validated, profile),
      }),
    accepted: acceptedOf(rejections),
    // A version with a known body is preferred.
    before:
      rejections.find(({ good }) => typeof good?.hash === 'string')?.good ??
      rejections.find(({ good }) => good !== undefined)?.good ??
      undefined,
    after: resolved === undefined ? undefined : { versionInfo: resolved.versionInfo, hash: resolved.hash },
  };
}

export function profileOf(
  rejection: ClientRejection | undefined,
  { live, findSettings }: Pick<NackDetailParts, 'live' | 'findSettings'>,
): Profile {
  const client = rejection && live.world.get(rejection.clientId);
  const asClient = rejection && findSettings(rejection.clientId).asClient;
  return profileOfClient({ node: client?.node ?? { userAgentName: '' }, asClient: asClient ?? undefined });
}

async function validateRejected(
  { typeUrl, name }: NackGroup,
  { payload: { hash }, rejection: { clientId } }: RejectedBody,
  { validate, listResources, findSettings, signal }: NackDetailParts,
): Promise<ValidatedResource | undefined> {
  const contextOf = await findRowContexts(
    (await listResources(clientId)) ?? [],
    findSettings(clientId).certificateProviders,
  );
  const key = { hash, typeUrl, context: contextOf({ typeUrl, name }) };
  return (await validate.validateBodies([key], signal))(key);
}

/** undefined if the body is too large. */
export async function readJson(
  { body }: RejectedBody,
  { codec, signal }: Pick<NackDetailParts, 'codec' | 'signal'>,
): Promise<unknown> {
  const { text } = await codec.render(body, 'json', signal);
  return text.length > maxJsonChars ? undefined : JSON.parse(text);
}

function readStatements(
  group: NackGroup,
  json: unknown,
  findings: readonly Finding[],
  profile: Profile,
): NackStatementRow[] {
  return statementsOfResource(parseNackText(group.text), group).map((statement) => {
    const { reason, range, fieldPath } = statement;
    const field = json === undefined ? undefined : findRejectedField(statement, json, findings, profile);
    return {
      ...range,
      reason,
      fieldPath,
      field: field === undefined ? undefined : { ...field, ruleId: field.ruleId },
    };
  });
}

function clientRow(rejection: ClientRejection, world: NackDetailParts['live']['world']): NackClient {
  const { clientId, reportedBy, ended, gone, firstAt, lastAt, versionInfo, seq } = rejection;
  const client = world.get(clientId);
  const vantages = [...new Set([...reportedBy.values()].map(({ vantage }) => vantage))].sort();
  return {
    clientId,
    nodeId: client?.node.id ?? clientId,
    userAgent: `${client?.node.userAgentName ?? ''} ${client?.node.userAgentVersion ?? ''}`.trim(),
    isProbe: vantages.includes('probe'),
    firstAt,
    lastAt,
    times: timesOf(rejection),
    versionInfo,
    vantages,
    seq,
    state: stateOfRejection(rejection),
    ended,
    gone,
  };
}

/** Findings for which the profile rejects the resource are first. */
function rankOf({ reactions }: Finding, profile: Profile): number {
  return reactionOrder.indexOf(reactions[profile]);
}

function acceptedOf(rejections: readonly ClientRejection[]): NackDetail['accepted'] {
  const reported = rejections.find(({ accepted }) => accepted !== null)?.accepted;
  return reported ? { names: [...reported.names], total: reported.total } : undefined;
}

function absenceOf(rejections: readonly ClientRejection[]): string {
  const isVersionReported = rejections.some(({ versionInfo }) => versionInfo !== '');
  return isVersionReported
    ? 'No source reports the payload that was rejected: the client does not report it, and no tap, probe or control plane reported the same version.'
    : 'No source reports the payload that was rejected, and the client does not report which version it was.';
}
