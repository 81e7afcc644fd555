import { expect, it } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { ImpactAssessor } from '@/server/answers/issues/impact-assessor';
import { apiListener, edsCluster, endpoints, routeConfig } from '../../../support/builders/topology-mesh';
import { startClientStory } from '../../../support/client-story';

it('assesses the listeners that lead to a resource, however many the client has', async () => {
  const { parts, ask, observe } = await startClientStory();
  const assessor = new ImpactAssessor({ ...parts, askClient: ask });
  const names = Array.from({ length: 20 }, (_, index) => String(index).padStart(2, '0'));
  const missing = { typeUrl: CDS.typeUrl, name: 'cart-19', clientStatus: 'DOES_NOT_EXIST' } as const;
  observe(
    names.flatMap((name) => [
      apiListener(`shop-${name}`, { rds: `routes-${name}` }),
      routeConfig(`routes-${name}`, { '': `cart-${name}` }),
      ...(name === '19' ? [missing] : [edsCluster(`cart-${name}`)]),
      endpoints(`cart-${name}`, [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
    ]),
  );
  const cause = { kind: 'absent', side: 'client', typeUrl: CDS.typeUrl, name: 'cart-19', text: '' } as const;
  const period = {
    ...{ clientId: 'c', from: 0, to: undefined, end: undefined, fromSeq: null, toSeq: null },
    ...{ versionInfo: '', keepsAccepted: false, resources: 1 },
  };
  const assessed = await assessor.assess('issue', cause, period, undefined);
  expect(assessed?.impact).toMatchObject({ level: 'all-fail', listener: 'shop-19', cluster: 'cart-19' });
});
