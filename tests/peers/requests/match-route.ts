import { runSteps } from '@/lib/cooperative/steps';
import { findReach } from '@/lib/explain/reach/find-reach';
import type { ExplainRequest } from '@/lib/requests/request';
import { newestOf } from '@/lib/xds/profile';

export type DrawnRoute = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly match: object;
};

const methods = ['GET', 'POST', 'DELETE'];

/** Changes the request such that the matcher of one of the routes matches it, each in turn. */
export function matchRoute(
  request: ExplainRequest,
  routes: readonly DrawnRoute[],
  nth: number,
  authority = request.authority,
): ExplainRequest {
  const matcher = routes[nth % routes.length]?.match;
  if (matcher === undefined) return request;
  const [reach] = runSteps(
    findReach({
      ...{ routes: [{ name: 'own', matcher }], authority, accepts: () => true },
      ...{ profile: newestOf('envoy'), ignored: new Set<number>() },
    }),
  );
  const { witness } = reach ?? {};
  if (witness === undefined || !methods.includes(witness.method)) return request;
  const forwarded = witness.scheme === 'https' ? [['x-forwarded-proto', 'https'] as const] : [];
  const own = new Set(witness.headers.map(([name]) => name.toLowerCase()));
  const rest = request.headers.filter(([name]) => !own.has(name.toLowerCase()));
  const { method, path, headers } = witness;
  return {
    ...request,
    method,
    authority: witness.authority,
    path,
    headers: [...headers, ...forwarded, ...rest],
  };
}
