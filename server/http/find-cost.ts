import type { Cost } from '@/lib/questions/question';
import { operations } from '../answers/openapi/openapi';
import { matchesRoute } from './find-misroute';
import { parseRequestPath } from './request-path';

/** Returns the limit that a request counts against, or undefined. A HEAD request costs as much as a GET. */
export function findCost({
  method = 'GET',
  url = '/',
}: {
  readonly method?: string;
  readonly url?: string;
}): Cost | undefined {
  const path = parseRequestPath(url);
  if (path === undefined) return undefined;
  const requested = method === 'HEAD' ? 'get' : method.toLowerCase();
  return operations.find((each) => each.method === requested && matchesRoute(path, each.path))?.cost;
}
