import { EmptyState } from '../../_components/empty-state';

/** What to do where nothing is reported, of any kind or of this one. */
export function NoLoad({ by = '' }: { readonly by?: string }) {
  if (by === 'endpoint') {
    return (
      <EmptyState title="No client reported endpoints">
        Envoy reports them where the LRS server asks for it, as xdscope does with <code>--lrs-endpoints</code>
        ; gRPC clients report localities alone.
      </EmptyState>
    );
  }
  if (by === 'metric') {
    return (
      <EmptyState title="No custom metrics were reported">
        Clients pass on what backends report to them with ORCA: gRPC by gRFC A64 and A85, Envoy what the
        cluster’s <code>lrs_report_endpoint_metrics</code> lists.
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No load was reported">
      Clients report to the LRS server that their control plane names. Start xdscope with{' '}
      <code>--lrs-listen HOST:PORT</code> and let a cluster’s <code>lrs_server</code> lead there, or put a tap
      before the server that they report to.
    </EmptyState>
  );
}
