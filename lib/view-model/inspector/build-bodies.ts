import { reportsGoodConfigAsFailed } from '../../model/failed-configuration';
import type { Vantage } from '../../observation/observation';
import type { RowOf } from '../../observation/resource-row';

/** One body that is known of a resource, and what it honestly is. */
export interface BodyChoice {
  readonly hash: string;
  readonly role: 'client' | 'failed-configuration' | 'rejected' | 'control-plane';
  /** Short, for a switch between bodies. */
  readonly label: string;
  /** Which source reports the body, and what the body is not. */
  readonly sentence: string;
  /** True where a reader could take the body for another one than it is. */
  readonly isWarning: boolean;
}

export interface Bodies {
  /** The one to open with comes first. */
  readonly choices: readonly BodyChoice[];
  /** Why there is no body, in words; empty when there is one. */
  readonly absence: string;
}

/** Which source reported the row: what `failed_configuration` means depends on it. */
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
  const failedHash = row.errorState?.failedHash ?? null;
  if (failedHash !== null && failedHash !== row.hash) choices.push(failedBody(row, failedHash, reporter));
  const sent = row.side === 'client' ? (row.controlPlane?.hash ?? null) : null;
  if (sent !== null && !choices.some((choice) => choice.hash === sent)) choices.push(sentBody(row, sent));
  return { choices, absence: choices.length === 0 ? absenceOf(row) : '' };
}

function mainBody(row: RowOf<unknown>, hash: string, reporter: Reporter): BodyChoice {
  if (row.side === 'control-plane') {
    return {
      hash,
      role: 'control-plane',
      label: 'Control plane',
      sentence: `The body as the control plane sent it${withVersion(row.versionInfo)}. No client reported what it runs.`,
      isWarning: true,
    };
  }
  const reported = { hash, role: 'client', label: labelOfClient(reporter) } as const;
  const version = withVersion(row.versionInfo);
  switch (row.clientStatus) {
    case 'ACKED':
      return { ...reported, sentence: `The accepted body${version}.`, isWarning: false };
    case 'NACKED':
      return {
        ...reported,
        label: 'Last accepted',
        sentence: `The last accepted body${version}, still in use. It is not the rejected one.`,
        isWarning: true,
      };
    case 'DOES_NOT_EXIST':
      return {
        ...reported,
        sentence: `The body${version} that the client still holds, although it says that the resource does not exist.`,
        isWarning: true,
      };
    default:
      return {
        ...reported,
        sentence: `The body${version} that the client reported with the status ${row.clientStatus}.`,
        isWarning: true,
      };
  }
}

function labelOfClient({ vantage }: Reporter): string {
  return vantage === 'probe' ? 'Probe' : 'Client';
}

function failedBody(row: RowOf<unknown>, hash: string, reporter: Reporter): BodyChoice {
  const rejected = withVersion(row.errorState?.versionInfo);
  if (reporter.vantage === 'probe') {
    return {
      hash,
      role: 'rejected',
      label: 'Rejected',
      sentence: `The rejected body${rejected}, as the probe received it. It is not in use.`,
      isWarning: true,
    };
  }
  if (row.controlPlane?.hash === hash) {
    return {
      hash,
      role: 'rejected',
      label: 'Rejected',
      sentence: `The rejected body${rejected}: the client's failed_configuration is what the control plane sent. It is not in use.`,
      isWarning: true,
    };
  }
  if (reportsGoodConfigAsFailed(reporter.userAgentName)) {
    return {
      hash,
      role: 'failed-configuration',
      label: 'Last accepted',
      sentence: `The last accepted body${withVersion(row.versionInfo)}, still in use. ${reporter.userAgentName} reports it as failed_configuration; the rejected body${rejected} is not reported.`,
      isWarning: true,
    };
  }
  return {
    hash,
    role: 'failed-configuration',
    label: 'failed_configuration',
    sentence: `What the client reported as failed_configuration. By the API that is the rejected body${rejected}, but some clients put the last accepted one there.`,
    isWarning: true,
  };
}

function heldBody(
  { stage, versionInfo }: NonNullable<RowOf<unknown>['otherVersions']>[number],
  hash: string,
): BodyChoice {
  const label = stage === 'warming' ? 'Warming' : stage === 'draining' ? 'Draining' : 'Active';
  const use = stage === 'warming' ? 'not in use yet' : stage === 'draining' ? 'on its way out' : 'in use';
  const sentence = `A version that Envoy holds beside it${withVersion(versionInfo)}: ${stage}, ${use}.`;
  return { hash, role: 'client', label, sentence, isWarning: true };
}

function sentBody(row: RowOf<unknown>, hash: string): BodyChoice {
  const version = row.controlPlane?.versionInfo ?? '';
  const isRejected =
    row.clientStatus === 'NACKED' && version !== '' && row.errorState?.versionInfo === version;
  const ownWord = row.hash === null ? 'reports no body itself' : 'reports another body';
  return {
    hash,
    role: 'control-plane',
    label: isRejected ? 'Rejected' : 'Control plane',
    sentence: isRejected
      ? `The rejected body (version ${version}), as the control plane sent it: the client names the same version. It ${ownWord}.`
      : `The body as the control plane sent it${withVersion(version)}. The client ${ownWord}.`,
    isWarning: isRejected || row.hash === null,
  };
}

function withVersion(version: string | undefined): string {
  return version === undefined || version === '' ? '' : ` (version ${version})`;
}

function absenceOf(row: RowOf<unknown>): string {
  if (row.side === 'control-plane')
    return 'The control plane reported no body, and no client reported what it runs.';
  switch (row.clientStatus) {
    case 'REQUESTED':
      return 'No body yet: the client asked for the resource and has received nothing.';
    case 'DOES_NOT_EXIST':
      return 'No body: the client says that the resource does not exist.';
    case 'TIMEOUT':
      return 'No body: the client waited for the resource in vain.';
    case 'RECEIVED_ERROR':
      return 'No body: the client received an error in place of the resource.';
    case 'NACKED':
      return 'No body reported by the client: it rejected the update, and names no version that it accepted before.';
    default:
      return 'No body reported by the client.';
  }
}
