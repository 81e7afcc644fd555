import type { FieldReader } from '../model/field-reader';
import type { ExplainRequest } from '../requests/request';
import { upgradeOf } from './connection-header';
import type { Branch, StepResource } from './trace';
import type { TraceBuilder } from './trace-builder';

/** What upgrade_configs mean for a request that wants to change the protocol. undefined: the request does not, or the upgrade is allowed. */
type UpgradeProblem = { readonly kind: 'fails' | 'unknown'; readonly reason: string };

/** "upgrade_configs" of the route decide, else those of the connection manager; without any, an upgrade fails. */
export function findUpgradeProblem(
  request: ExplainRequest,
  route: FieldReader,
  manager: FieldReader,
): UpgradeProblem | undefined {
  const type = upgradeOf(request);
  if (type === undefined) return undefined;
  const configOf = (owner: FieldReader | undefined): FieldReader | undefined =>
    owner
      ?.objects('upgradeConfigs')
      .find((each) => each.string('upgradeType').toLowerCase() === type.toLowerCase());
  const ofManager = configOf(manager);
  const config = configOf(route.object('route')) ?? ofManager;
  if (config === undefined || (config.has('enabled') && !config.boolean('enabled')))
    return {
      kind: 'fails',
      reason: `neither the route nor the connection manager allows the upgrade to ${type} (upgrade_configs)`,
    };
  return (ofManager?.objects('filters').length ?? 0) === 0
    ? undefined
    : {
        kind: 'unknown',
        reason: `the upgrade to ${type} has HTTP filters of its own, which are not evaluated`,
      };
}

/** An upgrade that fails is answered before an HTTP filter sees the request. */
export function explainUpgrade(
  trace: TraceBuilder,
  { kind, reason }: UpgradeProblem,
  place: { readonly resource: StepResource; readonly path: string },
): Branch[] {
  const verdict = kind === 'fails' ? 'not-taken' : 'unknown';
  trace.add({ stage: 'action', title: 'upgrade', verdict, reason, ...place });
  return [kind === 'fails' ? trace.failed(reason, { status: 403 }) : trace.unknown(reason)];
}
