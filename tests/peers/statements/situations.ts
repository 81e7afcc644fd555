import type { Situation, Tools } from './situation';
import { situationsOfClusters } from './situations-of-clusters';
import { situationsOfConnections } from './situations-of-connections';
import { situationsOfDiscovery } from './situations-of-discovery';
import { situationsOfFiles } from './situations-of-files';
import { situationsOfFilters } from './situations-of-filters';
import { situationsOfHosts } from './situations-of-hosts';
import { situationsOfLimits } from './situations-of-load';
import { situationsOfManagers } from './situations-of-managers';
import { situationsOfRoutes } from './situations-of-routes';
import { situationsOfThreads } from './situations-of-threads';
import { situationsOfUpstreams } from './situations-of-upstreams';

/**
 * The listener is `web`, and most requests lead to the cluster `a`. The backends: `good` and `fine` answer 200, `sick` fails
 * its health checks and answers 200 to everything else, `degraded` answers its health checks with x-envoy-degraded, `bad`
 * answers 500, `store` answers commands of Redis, `closing` closes each connection, `modern` speaks HTTP/2 alone, `secure` expects TLS, `mutual` a certificate as well, `turning` changes its answer before the requests are measured, `closed` and `shut` accept no connection.
 */
export function situations(tools: Tools): Situation[] {
  return [...usualSituations(tools), ...furtherSituations(tools)];
}

/** Each run of all peers has these. */
export function usualSituations(tools: Tools): Situation[] {
  return [
    ...situationsOfHosts(tools),
    ...situationsOfRoutes(tools),
    ...situationsOfClusters(tools),
    ...situationsOfFiles(tools),
    ...situationsOfLimits(tools),
    ...situationsOfThreads(tools),
  ];
}

/** More of public threads, which take ten minutes: `--chapter statements` and `--full` have them. */
function furtherSituations(tools: Tools): Situation[] {
  return [
    ...situationsOfConnections(tools),
    ...situationsOfDiscovery(tools),
    ...situationsOfFilters(tools),
    ...situationsOfManagers(tools),
    ...situationsOfUpstreams(tools),
  ];
}
