import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { foldObservation, type World } from '@/lib/observation/fold';
import { buildClientSummary } from '@/lib/views/client/build-client-summary';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import { buildFleetTypes } from '@/lib/views/fleet/build-fleet-types';
import { buildFleetMember } from '@/lib/views/fleet/fleet-member';
import { buildResourceView } from '@/lib/views/resources/build-resource-view';
import { parseResourceFilter } from '@/lib/views/resources/resource-filter';
import { CDS } from '@/lib/xds/resource-type';
import { sampleReport, sampleResource } from '../../../support/builders/observation-samples';

const info = 'type.googleapis.com/envoy.admin.v3.ServerInfo';
const bootstrap = 'type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap';

const live: FreshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 });

/** An Envoy with one cluster and with its own documents. */
function clientOf(clientId: string, own: string, cluster: string) {
  const world: World = new Map();
  const document = (typeUrl: string) =>
    sampleResource({ typeUrl, name: '', hash: own, clientStatus: 'UNKNOWN' });
  const changed = [sampleResource({ hash: cluster }), document(info), document(bootstrap)];
  foldObservation(world, { ...sampleReport({ clientId, changed }), seq: 1 });
  const client = world.get(clientId);
  if (client === undefined) throw new Error('expected a client');
  return client;
}

function memberOf(clientId: string, own: string, cluster = 'aa') {
  const client = clientOf(clientId, own, cluster);
  return buildFleetMember(buildClientSummary(client, live), client.node);
}

describe('documents that a process reports about itself', () => {
  it('do not affect cohorts', () => {
    expect(memberOf('one', 'up 5 s').content).toBe(memberOf('two', 'up 900 s').content);
    expect(memberOf('one', 'up 5 s').content).not.toBe(memberOf('one', 'up 5 s', 'bb').content);
  });

  it('have no state, and the client has that of its resources', () => {
    const { summary } = memberOf('one', 'up 5 s');
    expect(summary.worst).toBe('ACKED');
    expect(Object.fromEntries(summary.types.map(({ service, byState }) => [service, byState]))).toEqual({
      CDS: { ACKED: 1 },
      ServerInfo: {},
      Bootstrap: {},
    });
    const rows = runSteps(buildResourceRows(clientOf('one', 'up 5 s', 'aa'), live));
    expect(rows.map(({ service, state }) => [service, state])).toEqual([
      ['CDS', 'ACKED'],
      ['ServerInfo', null],
      ['Bootstrap', null],
    ]);
    const { statuses } = runSteps(
      buildResourceView(rows, { typeUrls: [], statuses: [], filter: parseResourceFilter(''), sort: null }),
    );
    expect(statuses).toEqual([{ status: 'ACKED', count: 1 }]);
  });

  it('are no columns of the fleet', () => {
    const columns = buildFleetTypes([info, bootstrap, CDS.typeUrl]).map(({ label }) => label);
    expect(columns).toEqual(['LDS', 'RDS', 'CDS', 'EDS']);
  });
});
