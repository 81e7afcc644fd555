import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { TypeText } from '@/app/_components/type-text';
import { CDS } from '@/lib/xds/resource-type';

it.each([
  [CDS.typeUrl, 'CDS'],
  ['type.googleapis.com/envoy.admin.v3.ClusterStatus', 'Cluster<wbr/>Status'],
  ['type.googleapis.com/envoy.admin.v3.UnreadyTargetsDumps', 'Unready<wbr/>Targets<wbr/>Dumps'],
])('a type name continues on the next line, it is not cut: %s', (typeUrl, expected) => {
  const html = renderToStaticMarkup(<TypeText typeUrl={typeUrl} />);
  expect(html).toContain(`>${expected}</span>`);
  expect(html).not.toContain('truncate');
});
