import { reportsGoodConfigAsFailed } from '../../model/failed-configuration';
import type { Vantage } from '../../observation/observation';
import type { RowOf } from '../../observation/resource-row';
import type { ClientStatus } from '../../xds/status';

export interface BodyChoice {
  readonly hash: string;
  readonly role: 'client' | 'failed-configuration' | 'rejected' | 'control-plane' | 'unanswered';
  /** Short, for a switch between bodies. */
  readonly label: string;
  /** The source of the body, and what the body is not. */
  readonly sentence: string;
  /** Whether the body could be mistaken for another one. */
  readonly isWarning: boolean;
}

export interface Bodies {
  /** The body that is shown first is the first one. */
  readonly choices: readonly BodyChoice[];
  /** Why there is no body; empty if there is one. */
  readonly absence: string;
}

/** The source of the row, which determines the meaning of `failed_configuration`. */
export interface Reporter {
  readonly vantage: Vantage;
  readonly userAgentName: string;
}

export function buildBodies(row: RowOf<unknown>, reporter: Reporter): Bodies {
  const choices: BodyChoice[] = [];
  if (row.hash !== null) choices.push(mainBody(row, row.hash, reporter));
  for (const other of row.otherVersions ?? []) {
    if (other.hash !== null && !choices.some((choice) => choice.hash === other.hash)) {
      choices.push(heldBody(other, other.hash));
    }
  }
  const { unanswered } = row;
  if (unanswered !== undefined && unanswered.hash !== null && unanswered.hash !== row.hash) {
    const sentence = `The body in the newest response${withVersion(unanswered.versionInfo)}, which the client has not answered.`;
    choices.push({
      hash: unanswered.hash,
      role: 'control-plane',
      label: 'Not answered',
      sentence,
      isWarning: true,
    });
  }
  const failedHash = row.errorState?.failedHash ?? null;
  if (failedHash !== null && failedHash !== row.hash) choices.push(failedBody(row, failedHash, reporter));
  const sent = row.side === 'client' ? (row.controlPlane?.hash ?? null) : null;
  if (sent !== null && !choices.some((choice) => choice.hash === sent)) choices.push(sentBody(row, sent));
  return { choices, absence: choices.length === 0 ? absenceOf(row) : '' };
}

function mainBody(row: RowOf<unknown>, hash: string, { vantage }: Reporter): BodyChoice {
  const version = withVersion(row.versionInfo);
  if (row.side === 'control-plane') {
    const sentence = `The body as the control plane sent it${version}. No client reported what it runs.`;
    return { hash, role: 'control-plane', label: 'Control plane', sentence, isWarning: true };
  }
  if (row.state === 'ACTIVE') {
    const sentence = `The body in effect${version}. Whether the client ACKed it is not known.`;
    return { hash, role: 'client', label: 'Client', sentence, isWarning: false };
  }
  const waiting = row.effect?.stage;
  if (waiting === 'warming' || waiting === 'draining') {
    const [label, use] = stages[waiting];
    return {
      hash,
      role: 'client',
      label,
      sentence: `The body${version}: ${waiting}, ${use}.`,
      isWarning: true,
    };
  }
  const label = row.clientStatus === 'NACKED' ? 'Last accepted' : vantage === 'probe' ? 'Probe' : 'Client';
  const isWarning = row.clientStatus !== 'ACKED';
  return { hash, role: 'client', label, sentence: describeMain(row.clientStatus, version), isWarning };
}

function describeMain(status: ClientStatus, version: string): string {
  switch (status) {
    case 'ACKED':
      return `The accepted body${version}.`;
    case 'NACKED':
      return `The last accepted body${version}, still in use. It is not the rejected one.`;
    case 'DOES_NOT_EXIST':
      return `The body${version} that the client still holds, although it reports that the resource does not exist.`;
    default:
      return `The body${version} that the client reported with the status ${status}.`;
  }
}

function failedBody(row: RowOf<unknown>, hash: string, reporter: Reporter): BodyChoice {
  const rejected = withVersion(row.errorState?.versionInfo);
  const isProbe = reporter.vantage === 'probe';
  if (isProbe || row.controlPlane?.hash === hash) {
    const sentence = isProbe
      ? `The rejected body${rejected}, as the probe received it. It is not in use.`
      : `The rejected body${rejected}: the client's failed_configuration is what the control plane sent. It is not in use.`;
    return { hash, role: 'rejected', label: 'Rejected', sentence, isWarning: true };
  }
  const role = 'failed-configuration';
  if (reportsGoodConfigAsFailed(reporter.userAgentName)) {
    const sentence = `The last accepted body${withVersion(row.versionInfo)}, still in use. ${reporter.userAgentName} reports it as failed_configuration; the rejected body${rejected} is not reported.`;
    return { hash, role, label: 'Last accepted', sentence, isWarning: true };
  }
  const sentence = `What the client reported as failed_configuration. By the API that is the rejected body${rejected}, but some clients put the last accepted one there.`;
  return { hash, role, label: 'failed_configuration', sentence, isWarning: true };
}

const stages = {
  warming: ['Warming', 'not in use yet'],
  draining: ['Draining', 'existing connections may finish'],
  active: ['Active', 'in use'],
} as const;

function heldBody(
  { stage, versionInfo }: NonNullable<RowOf<unknown>['otherVersions']>[number],
  hash: string,
): BodyChoice {
  const [label, use] = stages[stage];
  const sentence = `Another version that Envoy holds${withVersion(versionInfo)}: ${stage}, ${use}.`;
  return { hash, role: 'client', label, sentence, isWarning: true };
}

function sentBody(row: RowOf<unknown>, hash: string): BodyChoice {
  const version = row.controlPlane?.versionInfo ?? '';
  const isRejected =
    row.clientStatus === 'NACKED' && version !== '' && row.errorState?.versionInfo === version;
  const own = row.hash === null ? 'reports no body itself' : 'reports another body';
  const sentence = isRejected
    ? `The rejected body (version ${version}), as the control plane sent it: the client reports the same version. It ${own}.`
    : `The body as the control plane sent it${withVersion(version)}. The client ${own}.`;
  const label = isRejected ? 'Rejected' : 'Control plane';
  return { hash, role: 'control-plane', label, sentence, isWarning: isRejected || row.hash === null };
}

function withVersion(version: string | undefined): string {
  return version === undefined || version === '' ? '' : ` (version ${version})`;
}

function absenceOf(row: RowOf<unknown>): string {
  if (row.side === 'control-plane')
    return 'The control plane reported no body, and no client reported what it runs.';
  switch (row.clientStatus) {
    case 'REQUESTED':
      return 'No body yet: the client requested the resource and has received nothing.';
    case 'DOES_NOT_EXIST':
      return 'No body: the client reports that the resource does not exist.';
    case 'TIMEOUT':
      return 'No body: the client did not receive the resource in time.';
    case 'RECEIVED_ERROR':
      return 'No body: the client received an error in place of the resource.';
    case 'NACKED':
      return 'No body reported by the client: it rejected the update, and reports no version that it accepted before.';
    default:
      return 'No body reported by the client.';
  }
}
