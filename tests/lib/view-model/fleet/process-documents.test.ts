import { describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import { buildClientSummary } from '@/lib/view-model/client/build-client-summary';
import { buildFleetTypes } from '@/lib/view-model/fleet/build-fleet-types';
import { buildFleetMember } from '@/lib/view-model/fleet/fleet-member';
import { CDS } from '@/lib/xds/resource-type';
import { sampleReport, sampleResource } from '../../../support/observation-samples';

const info = 'type.googleapis.com/envoy.admin.v3.ServerInfo';
const bootstrap = 'type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap';

/** An Envoy with one cluster and with its own documents. */
function memberOf(clientId: string, own: string, cluster = 'aa') {
  const world: World = new Map();
  const document = (typeUrl: string) =>
    sampleResource({ typeUrl, name: '', hash: own, clientStatus: 'UNKNOWN' });
  const changed = [sampleResource({ hash: cluster }), document(info), document(bootstrap)];
  foldObservation(world, { ...sampleReport({ clientId, changed }), seq: 1 });
  const client = world.get(clientId);
  if (client === undefined) throw new Error('expected a client');
  const summary = buildClientSummary(client, () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }));
  return buildFleetMember(summary, client.node);
}

describe('documents that a process reports about itself', () => {
  it('do not affect cohorts', () => {
    expect(memberOf('one', 'up 5 s').content).toBe(memberOf('two', 'up 900 s').content);
    expect(memberOf('one', 'up 5 s').content).not.toBe(memberOf('one', 'up 5 s', 'bb').content);
  });

  it('has no status, and leaves the client that of its resources', () => {
    expect(memberOf('one', 'up 5 s').summary.worst).toBe('ACKED');
  });

  it('are no columns of the fleet', () => {
    const columns = buildFleetTypes([info, bootstrap, CDS.typeUrl]).map(({ label }) => label);
    expect(columns).toEqual(['LDS', 'RDS', 'CDS', 'EDS']);
  });
});
