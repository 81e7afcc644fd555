import { describeDoubt } from '../../observation/describe-doubt';
import { isAckOfRejected, isInDoubt } from '../../observation/effect-stage';
import type { Vantage } from '../../observation/observation';
import type { ResourceRow } from '../../observation/resource-row';
import { EDS } from '../../xds/resource-type';

interface BodyChoice {
  readonly hash: string;
  readonly role: 'client' | 'rejected' | 'control-plane' | 'unanswered';
  /** Short, for a switch between bodies. */
  readonly label: string;
  /** The source of the body, and what the body is not. */
  readonly sentence: string;
  /** True if the body could be mistaken for another one. */
  readonly isWarning: boolean;
}

export interface Bodies {
  /** The body that is shown first is the first one. */
  readonly choices: readonly BodyChoice[];
  /** The reason why there is no body; empty if there is one. */
  readonly absence: string;
}

/** `vantage`: where the row was observed. */
export function buildBodies(row: ResourceRow, vantage: Vantage): Bodies {
  const choices: BodyChoice[] = [];
  if (row.hash !== null) choices.push(mainBody(row, row.hash, vantage));
  for (const other of row.otherVersions ?? []) {
    if (other.hash !== null && !choices.some((choice) => choice.hash === other.hash)) {
      choices.push(heldBody(other, other.hash));
    }
  }
  const { unanswered } = row;
  if (unanswered !== undefined && unanswered.hash !== null && unanswered.hash !== row.hash) {
    const sentence = `The payload in the newest response${withVersion(unanswered.versionInfo)}, which the client has not answered.`;
    choices.push({
      hash: unanswered.hash,
      role: 'control-plane',
      label: 'Not answered',
      sentence,
      isWarning: true,
    });
  }
  const failedHash = row.errorState?.failedHash ?? null;
  if (failedHash !== null && failedHash !== row.hash) choices.push(failedBody(row, failedHash, vantage));
  const sent = row.side === 'client' ? (row.controlPlane?.hash ?? null) : null;
  if (sent !== null && !choices.some((choice) => choice.hash === sent)) choices.push(sentBody(row, sent));
  return { choices, absence: choices.length === 0 ? absenceOf(row) : '' };
}

function mainBody(row: ResourceRow, hash: string, vantage: Vantage): BodyChoice {
  const version = withVersion(row.versionInfo);
  if (row.side === 'control-plane') {
    const sentence = `The payload as the control plane sent it${version}. No client reported what it runs.`;
    return { hash, role: 'control-plane', label: 'Control plane', sentence, isWarning: true };
  }
  if (row.state === 'ACTIVE') {
    const written =
      row.typeUrl === EDS.typeUrl && row.effect?.evidence === 'config_dump' ? ` ${writtenByEnvoy}` : '';
    const sentence = `The payload in effect${version}. Whether the client ACKed it is not known.${written}`;
    return { hash, role: 'client', label: 'Client', sentence, isWarning: false };
  }
  const waiting = row.effect?.stage;
  if (waiting === 'warming' || waiting === 'draining') {
    const [label, use] = stages[waiting];
    return {
      hash,
      role: 'client',
      label,
      sentence: `The payload${version}: ${waiting}, ${use}.`,
      isWarning: true,
    };
  }
  const label = row.clientStatus === 'NACKED' ? 'Last accepted' : vantage === 'probe' ? 'Probe' : 'Client';
  const isWarning = row.clientStatus !== 'ACKED' || isAckOfRejected(row) || isInDoubt(row);
  return { hash, role: 'client', label, sentence: describeMain(row, version), isWarning };
}

/**
 * The sentence states how endpoints in a config dump differ from those that were sent: see
 * server/collect/envoy-admin/endpoint-health.ts.
 */
const writtenByEnvoy =
  'Envoy writes endpoints from what it holds of them: weighted_priority_health is missing, and defaults that were not sent are there.';

function describeMain(row: ResourceRow, version: string): string {
  const status = row.clientStatus;
  if (isAckOfRejected(row))
    return `The payload${version} that the client ACKed after it had rejected the same payload. Whether it is in effect is not known.`;
  if (row.doubt && isInDoubt(row))
    return `The last accepted payload${version}. Whether it is in effect is not known. ${describeDoubt(row, row.doubt)}`;
  if (row.unanswered !== undefined)
    return `The last accepted payload${version}. The client has not answered the newest response that carried the resource.`;
  switch (status) {
    case 'ACKED':
      return `The accepted payload${version}.`;
    case 'NACKED':
      return row.errorState?.mayBeInEffect
        ? `The last accepted payload${version}. Whether this payload or the rejected one is in effect is not known.`
        : `The last accepted payload${version}, still in use. It is not the rejected one.`;
    case 'DOES_NOT_EXIST':
      return `The payload${version} that the client still holds, although it reports that the resource does not exist.`;
    default:
      return `The payload${version} that the client reported with the status ${status}.`;
  }
}

function failedBody(row: ResourceRow, hash: string, vantage: Vantage): BodyChoice {
  const rejected = withVersion(row.errorState?.versionInfo);
  if (row.clientStatus === 'UNKNOWN') {
    const sentence = `The payload${rejected} in a response that the client rejected in part. Whether it is in effect is not known.`;
    return { hash, role: 'control-plane', label: 'Sent', sentence, isWarning: true };
  }
  const seen =
    vantage === 'probe' || vantage === 'tap' ? `as the ${vantage} received it` : 'as the client reports it';
  const use = row.errorState?.mayBeInEffect
    ? 'Whether it is in effect is not known: the client applied a part of the response.'
    : 'It is not in use.';
  const sentence = `The rejected payload${rejected}, ${seen}. ${use}`;
  return { hash, role: 'rejected', label: 'Rejected', sentence, isWarning: true };
}

const stages = {
  warming: ['Warming', 'not in use yet'],
  draining: ['Draining', 'existing connections may finish'],
  active: ['Active', 'in use'],
} as const;

function heldBody(
  { stage, versionInfo }: NonNullable<ResourceRow['otherVersions']>[number],
  hash: string,
): BodyChoice {
  const [label, use] = stages[stage];
  const sentence = `Another version that the client holds${withVersion(versionInfo)}: ${stage}, ${use}.`;
  return { hash, role: 'client', label, sentence, isWarning: true };
}

function sentBody(row: ResourceRow, hash: string): BodyChoice {
  const version = row.controlPlane?.versionInfo ?? '';
  const isRejected =
    row.clientStatus === 'NACKED' && version !== '' && row.errorState?.versionInfo === version;
  const own = row.hash === null ? 'reports no payload' : 'reports another payload';
  const sentence = isRejected
    ? `The rejected payload (version ${version}), as the control plane sent it: the client reports the same version. It ${own}.`
    : `The payload as the control plane sent it${withVersion(version)}. The client ${own}.`;
  const label = isRejected ? 'Rejected' : 'Control plane';
  return { hash, role: 'control-plane', label, sentence, isWarning: isRejected || row.hash === null };
}

function withVersion(version: string | undefined): string {
  return version === undefined || version === '' ? '' : ` (version ${version})`;
}

function absenceOf(row: ResourceRow): string {
  if (row.side === 'control-plane')
    return 'The control plane reported no payload, and no client reported what it runs.';
  switch (row.clientStatus) {
    case 'REQUESTED':
      return 'No payload: the client requested the resource and has accepted none yet.';
    case 'DOES_NOT_EXIST':
      return 'No payload: the client reports that the resource does not exist.';
    case 'TIMEOUT':
      return 'No payload: the client did not receive the resource in time.';
    case 'RECEIVED_ERROR':
      return 'No payload: the client received an error in place of the resource.';
    case 'NACKED':
      return 'No payload reported by the client: it rejected the update, and reports no version that it accepted before.';
    default:
      return 'No payload reported by the client.';
  }
}
