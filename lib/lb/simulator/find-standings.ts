import type { FindStanding, Standing } from '../tree/lb-node';
import { viewGrpc } from './grpc-view';
import { initialState, openSimulation } from './step-failover';
import type { TrafficCluster } from './traffic-cluster';

/** The state at the start of a simulation: endpoints that EDS reports as healthy are connected, and no timer runs. */
export function findStandings(cluster: TrafficCluster): FindStanding {
  const { table, groups } = openSimulation(cluster);
  const { priorities, chosen, outcome } = viewGrpc(table, groups, initialState({ table, groups }));
  const standings = new Map<string, Standing>();
  const ofLeaf = new Map<string, Standing>();
  cluster.priorities.forEach(({ cluster: leaf, priority, isRejected }, at) => {
    if (isRejected) return;
    const hasFailed = priorities[at]?.child?.state === 'TRANSIENT_FAILURE';
    const isLive = at === chosen && outcome === 'served';
    const standing = isLive ? 'live' : hasFailed ? 'failed' : 'standby';
    standings.set(JSON.stringify([leaf, priority]), standing);
    const known = ofLeaf.get(leaf) ?? standing;
    ofLeaf.set(leaf, known === standing ? standing : best(known, standing));
  });
  return (leaf, priority) =>
    priority === null ? ofLeaf.get(leaf) : standings.get(JSON.stringify([leaf, priority]));
}

function best(one: Standing, other: Standing): Standing {
  return one === 'live' || other === 'live' ? 'live' : 'standby';
}
