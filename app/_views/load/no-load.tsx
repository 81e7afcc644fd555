import { EmptyState } from '@/app/_components/empty-state';

export function NoLoad({ by = '' }: { readonly by?: string }) {
  if (by === 'endpoint') {
    return (
      <EmptyState title="No client reported endpoints">
        Envoy reports endpoints if the LRS server requests them, as xdscope does with{' '}
        <code>--lrs-endpoints</code>. gRPC clients report localities only.
      </EmptyState>
    );
  }
  if (by === 'metric') {
    return (
      <EmptyState title="No custom metrics were reported">
        Clients forward the ORCA metrics of backends: gRPC by gRFC A64 and A85, Envoy those listed in the
        cluster’s <code>lrs_report_endpoint_metrics</code>.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No load was reported">
      Clients report to the LRS server that their control plane names. Start xdscope with{' '}
      <code>--lrs-listen HOST:PORT</code> and point a cluster’s <code>lrs_server</code> to it, or put a tap in
      front of the LRS server.
    </EmptyState>
  );
}
