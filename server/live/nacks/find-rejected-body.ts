import { findHeldBody, findReportedBody, type SentBody, type WantedBody } from '@/lib/nacks/find-sent-body';
import type { ClientRejection, NackGroup } from '@/lib/nacks/nack-group';
import type { World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { isPolledVantage } from '@/lib/observation/vantage';
import { compareRejections } from '@/lib/views/nacks/build-nack-row';
import type { NackPayload } from '@/lib/views/nacks/schema';
import type { Body } from '../../observe';
import type { Recorder } from '../../store/recorder/recorder';

export interface RejectedBody {
  readonly payload: NackPayload;
  readonly body: Body;
  readonly rejection: ClientRejection;
}

interface Places {
  readonly world: World;
  readonly recorder: Pick<Recorder, 'readBody' | 'readHistory'>;
  readonly nodeIdOf: (clientId: string) => string;
  readonly signal?: AbortSignal | undefined;
}

const rejectionsTried = 8;
/** The log is searched for this time around a NACK. */
const before = 3_000;
const after = 300;

/**
 * Finds the body that a client of the group rejected, and the source that reports it. The order of preference: the
 * vantage that observed the response, a control plane, probe or other client that reports the same version, and the
 * client's own report. Returns undefined if no source has it.
 */
export async function findRejectedBody(group: NackGroup, places: Places): Promise<RejectedBody | undefined> {
  const rejections = [...group.clients.values()].sort(compareRejections).slice(0, rejectionsTried);
  for (const find of [findSeen, findElsewhere, findOwn]) {
    for (const rejection of rejections) {
      const payload = await find(group, rejection, places);
      const body = payload && (await places.recorder.readBody(payload.hash, group.typeUrl));
      if (payload !== undefined && body !== undefined) return { payload, body, rejection };
    }
  }
  return undefined;
}

type Find = (
  group: NackGroup,
  rejection: ClientRejection,
  places: Places,
) => Promise<NackPayload | undefined> | NackPayload | undefined;

const findSeen: Find = (_, { failed, versionInfo, clientId }, { nodeIdOf }) => {
  if (failed === null || isPolledVantage(failed.vantage)) return undefined;
  return {
    hash: failed.hash,
    role: 'rejected',
    sentence: `The rejected payload${withVersion(versionInfo)}, as the ${failed.vantage} recorded it on its way to ${nodeIdOf(clientId)}.`,
    isWarning: false,
    versionInfo,
  };
};

const findElsewhere: Find = async (group, { versionInfo, clientId, seq }, places) => {
  if (versionInfo === '') return undefined;
  const { typeUrl, name } = group;
  const wanted = { typeUrl, name, versionInfo, clientId };
  const sent = findHeldBody(places.world, wanted) ?? (await searchLog(places, wanted, seq));
  return sent && { hash: sent.hash, versionInfo, ...describeSent(sent, wanted, places) };
};

const findOwn: Find = (_, { failed, good, versionInfo }) => {
  if (failed === null || failed.hash === good?.hash) return undefined;
  return {
    hash: failed.hash,
    role: 'rejected',
    sentence: `The rejected payload${withVersion(versionInfo)}, as the client reports it in failed_configuration.`,
    isWarning: false,
    versionInfo,
  };
};

async function searchLog(
  { recorder, signal }: Places,
  wanted: WantedBody,
  seq: number,
): Promise<SentBody | undefined> {
  const query = {
    kinds: ['response-received', 'client-config-changed'] as const,
    typeUrls: [wanted.typeUrl],
    resourceName: wanted.name,
    version: wanted.versionInfo,
    afterSeq: Math.max(0, seq - before),
    beforeSeq: seq + after,
    order: 'desc' as const,
    limit: 50,
  };
  const rows = await recorder.readHistory(query, signal);
  const found = rows.flatMap(({ json }) => findReportedBody(JSON.parse(json) as Observation, wanted) ?? []);
  return found.find(({ clientId }) => clientId === wanted.clientId) ?? found[0];
}

function describeSent(
  { clientId, vantage, side }: SentBody,
  wanted: WantedBody,
  { nodeIdOf }: Places,
): Pick<NackPayload, 'role' | 'sentence' | 'isWarning'> {
  const version = withVersion(wanted.versionInfo);
  const isOwn = clientId === wanted.clientId;
  if (isOwn && side === 'control-plane') {
    return {
      role: 'control-plane',
      sentence: `The rejected payload${version}, as the control plane reports it. The client reports no payload of its own.`,
      isWarning: false,
    };
  }
  if (isOwn) {
    return {
      role: 'rejected',
      sentence: `The rejected payload${version}, as the ${vantage} recorded it.`,
      isWarning: false,
    };
  }
  const who =
    side === 'control-plane'
      ? `sent to ${nodeIdOf(clientId)}`
      : `with ${nodeIdOf(clientId)}, which accepted it`;
  return {
    role: 'other-client',
    sentence: `A payload of the same name and version, ${who} (${vantage}). No source reports what was sent to the client that rejected it: servers may send each client another one.`,
    isWarning: true,
  };
}

function withVersion(version: string): string {
  return version === '' ? '' : ` (version ${version})`;
}
