import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { FindingsSection } from '@/app/_components/findings/findings-section';
import { validateResource } from '@/lib/validate/validate-resource';
import type { ClientFindings } from '@/lib/views/findings/schema';
import { mapProfiles } from '@/lib/xds/profile';
import { EDS } from '@/lib/xds/resource-type';

/** Endpoints that are not healthy: one finding each. */
const body = {
  clusterName: 'cart',
  endpoints: [
    {
      loadBalancingWeight: 1,
      lbEndpoints: Array.from({ length: 900 }, (_, at) => ({
        endpoint: { address: { socketAddress: { address: `10.0.${at >> 8}.${at & 255}`, portValue: 80 } } },
        healthStatus: 'UNHEALTHY',
      })),
    },
  ],
};
const findings = validateResource(EDS.typeUrl, body).filter(({ ruleId }) => ruleId === 'E12');

const answer: ClientFindings = {
  ...{ clientId: 'a', at: Date.parse('2026-01-01T00:00:00Z'), profile: 'envoy-1.36', profileReason: '' },
  ...{ total: 1, offset: 0, notices: [] },
  counts: {
    ...{ validated: 1, found: 1, findings: findings.length, ofProfile: 0, rejected: 0, noFaultFound: 0 },
    ...{ nacked: mapProfiles(() => 0), byRule: [] },
  },
  items: [
    {
      ...{ typeUrl: EDS.typeUrl, service: 'EDS', name: 'cart', versionInfo: '1', clientStatus: 'ACKED' },
      ...{ hash: 'aa', role: 'client', isRejected: false, verdict: 'ACK', clientError: '' },
      findings: findings.map((finding) => ({ ...finding })),
    },
  ],
};

function textOf(shown: string | null): string {
  return renderToStaticMarkup(
    <FindingsSection
      typeUrl={EDS.typeUrl}
      findings={{ data: answer, isError: false, error: null, refetch: () => undefined }}
      profile="envoy-1.36"
      onProfileChange={() => undefined}
      shown={shown === null ? null : { path: shown, role: '' }}
      onShow={() => undefined}
    />,
  ).replaceAll(/<[^>]*>/g, ' ');
}

it('a resource with hundreds of findings lists a few of them, and the one whose field is marked', () => {
  const last = findings.at(-1)?.fieldPath ?? '';
  expect(findings).toHaveLength(900);
  expect(textOf(null)).toContain('895 more findings');
  expect(textOf(null)).not.toContain(last);
  expect(textOf(last)).toContain('894 more findings');
  expect(textOf(last)).toContain(last);
});
