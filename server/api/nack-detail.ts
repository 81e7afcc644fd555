import type { NackClient, NackDetail, NackStatementRow } from '@/lib/api/nacks';
import type { ResourceRow } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import { findRefusedField } from '@/lib/nacks/find-refused-field';
import { type ClientRefusal, type NackGroup, timesOf } from '@/lib/nacks/nack-group';
import { parseNackText } from '@/lib/nacks/parse-nack-text';
import { statementsOfResource } from '@/lib/nacks/statements-of-resource';
import { profileOfClient } from '@/lib/resolve/client-profile';
import type { Profile } from '@/lib/validate/profile';
import type { Finding } from '@/lib/validate/validate-resource';
import { buildNackRow, compareRefusals } from '@/lib/view-model/nacks/build-nack-row';
import type { Codec } from '../codec/codec';
import type { LiveState } from '../live/live-state';
import { findRefusedBody, type RefusedBody } from '../nacks/find-refused-body';
import type { Recorder } from '../recorder/recorder';
import type { Judge } from '../validate/judge';
import { findRowContexts } from '../validate/row-contexts';
import type { ToldClient } from './told-client';

export interface NackDetailParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly recorder: Pick<Recorder, 'readBody' | 'readHistory'>;
  readonly codec: Pick<Codec, 'render'>;
  readonly judge: Pick<Judge, 'judgeBodies'>;
  readonly findTold: (clientId: string) => ToldClient;
  /** undefined: no such client. */
  readonly listResources: (clientId: string) => Promise<readonly ResourceRow[] | undefined>;
}

const clientsShown = 1_000;
const findingsShown = 200;
/** Longer JSON is not read to find a field in it: that would hold up everybody. */
const maxJsonChars = 4 * 1024 * 1024;

/** A group with the payload, the field in it, our findings, and what became of each client. */
export async function buildNackDetail(group: NackGroup, parts: NackDetailParts): Promise<NackDetail> {
  const { world } = parts.live;
  const nodeIdOf = (clientId: string): string => world.get(clientId)?.node.id ?? clientId;
  const refusals = [...group.clients.values()].sort(compareRefusals);
  const refused = await findRefusedBody(group, { world, recorder: parts.recorder, nodeIdOf });
  const refusal = refused?.refusal ?? refusals[0];
  const profile = profileOf(refusal, parts);
  const findings = refused === undefined ? [] : await judgeRefused(group, refused, parts);
  const sorted = [...findings].sort((a, b) => rankOf(a, profile) - rankOf(b, profile));
  const json = refused === undefined ? undefined : await readJson(refused, parts.codec);
  const endings = refusals.flatMap(({ ended }) => (ended?.by.kind === 'accepted' ? [ended.by] : []));
  const mended = endings.find(({ hash }) => hash !== null) ?? endings[0];
  return {
    group: buildNackRow(group, nodeIdOf),
    text: group.text,
    statements: readStatements(group, json, findings, profile),
    clients: refusals.slice(0, clientsShown).map((each) => clientRow(each, world)),
    payload: refused?.payload ?? null,
    absence: refused === undefined ? absenceOf(refusals) : '',
    profile,
    findings: sorted.slice(0, findingsShown).map((finding) => ({ ...finding })),
    accepted: acceptedOf(refusals),
    // Some clients tell a version without its body: one whose body is known can be looked at.
    before:
      refusals.find(({ good }) => typeof good?.hash === 'string')?.good ??
      refusals.find(({ good }) => good !== null)?.good ??
      null,
    after: mended === undefined ? null : { versionInfo: mended.versionInfo, hash: mended.hash },
  };
}

function profileOf(refusal: ClientRefusal | undefined, { live, findTold }: NackDetailParts): Profile {
  const client = refusal && live.world.get(refusal.clientId);
  const asClient = refusal && findTold(refusal.clientId).asClient;
  return profileOfClient({ node: client?.node ?? { userAgentName: '' }, asClient: asClient ?? undefined });
}

async function judgeRefused(
  { typeUrl, name }: NackGroup,
  { payload: { hash }, refusal: { clientId } }: RefusedBody,
  { judge, listResources, findTold }: NackDetailParts,
): Promise<readonly Finding[]> {
  const contextOf = await findRowContexts(
    (await listResources(clientId)) ?? [],
    findTold(clientId).certificateProviders,
  );
  const key = { hash, typeUrl, context: contextOf({ typeUrl, name }) };
  return (await judge.judgeBodies([key]))(key) ?? [];
}

async function readJson({ body }: RefusedBody, codec: NackDetailParts['codec']): Promise<unknown> {
  const { text } = await codec.render(body, 'json');
  return text.length > maxJsonChars ? undefined : JSON.parse(text);
}

function readStatements(
  group: NackGroup,
  json: unknown,
  findings: readonly Finding[],
  profile: Profile,
): NackStatementRow[] {
  return statementsOfResource(parseNackText(group.text), group).map(({ reason, range, fieldPath }) => {
    const field = json === undefined ? undefined : findRefusedField({ fieldPath }, json, findings, profile);
    return {
      ...range,
      reason,
      fieldPath: fieldPath ?? null,
      field: field === undefined ? null : { ...field, ruleId: field.ruleId ?? null },
    };
  });
}

function clientRow(refusal: ClientRefusal, world: NackDetailParts['live']['world']): NackClient {
  const { clientId, toldBy, ended, firstAt, lastAt, versionInfo, seq } = refusal;
  const client = world.get(clientId);
  const vantages = [...new Set([...toldBy.values()].map(({ vantage }) => vantage))].sort();
  return {
    clientId,
    nodeId: client?.node.id ?? clientId,
    userAgent: `${client?.node.userAgentName ?? ''} ${client?.node.userAgentVersion ?? ''}`.trim(),
    isProbe: vantages.includes('probe'),
    firstAt: formatIsoTime(firstAt),
    lastAt: formatIsoTime(lastAt),
    times: timesOf(refusal),
    versionInfo,
    vantages,
    seq,
    ended: ended === null ? null : { at: formatIsoTime(ended.at), seq: ended.seq, by: ended.by },
  };
}

/** What the profile refuses first. */
function rankOf({ reactions }: Finding, profile: Profile): number {
  return ['NACK', 'ignore', 'accept'].indexOf(reactions[profile]);
}

function acceptedOf(refusals: readonly ClientRefusal[]): NackDetail['accepted'] {
  const told = refusals.find(({ accepted }) => accepted !== null)?.accepted;
  return told ? { names: [...told.names], total: told.total } : null;
}

function absenceOf(refusals: readonly ClientRefusal[]): string {
  const isVersionTold = refusals.some(({ versionInfo }) => versionInfo !== '');
  return isVersionTold
    ? 'Nobody tells the body that was refused: the client keeps it to itself, and no tap, probe or control plane told of the same version.'
    : 'Nobody tells the body that was refused, and the client does not say which version it was.';
}
