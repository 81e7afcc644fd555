import type { ChainConfig } from '../resolve/resolve-listener';
import type { Branch, StepResource } from './trace';
import { joinCondition, type TraceBuilder } from './trace-builder';

/**
 * What an Envoy decides of a connection behind its filter chain: whether it has what the chain expects of callers, and what
 * network filters deny. A connection that is served reaches `reach`. Returns the branches in which it is served first.
 */
export function explainConnection(
  trace: TraceBuilder,
  { conditions, otherFilters, failure }: ChainConfig,
  { path, resource }: { readonly path: string; readonly resource: StepResource },
  reach: () => readonly Branch[],
): Branch[] {
  const step = { stage: 'filter-chain', title: 'connection', resource } as const;
  const answers: Branch[] = [];
  const passed: string[] = [];
  const behind = (branch: Branch): Branch =>
    passed.length === 0 ? branch : joinCondition(branch, passed.join('; '), undefined);
  const closed = (reason: string): Branch => trace.failed(`the connection is closed: ${reason}`, {});
  const close = (reason: string, field: string, branch = closed(reason)): Branch[] => {
    trace.add({ ...step, verdict: 'not-taken', reason, path: field });
    return [behind(branch), ...answers];
  };
  const fork = (denied: string, allowed: string, field: string): void => {
    trace.add({ ...step, verdict: 'depends', reason: denied, path: field });
    answers.push(behind(joinCondition(closed(denied), denied, undefined)));
    passed.push(allowed);
  };
  for (const { kind, text, otherwise, path: field } of conditions) {
    if (kind === 'tls') {
      if (trace.request.connection?.isTls === false) return close(otherwise, field);
    } else if (kind !== 'http2' || !trace.isGrpc) fork(otherwise, text, field);
  }
  if (failure?.isBeforeRoutes === true) return close(failure.text, path, trace.failed(failure.text, {}));
  for (const { name, denied, deniesAll } of otherFilters) {
    const reason = `filter ${name} ${denied}`;
    if (deniesAll === true) return close(reason, path);
    if (denied !== '') fork(`${reason}, and this is one of them`, `filter ${name} lets it pass`, path);
  }
  return [...reach().map(behind), ...answers];
}
