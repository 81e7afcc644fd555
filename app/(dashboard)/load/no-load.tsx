import { EmptyState } from '../../_components/empty-state';

/** What to do where nothing is reported. */
export function NoLoad() {
  return (
    <EmptyState title="No load was reported">
      Clients report to the LRS server that their control plane names. Start xdscope with{' '}
      <code>--lrs-listen HOST:PORT</code> and let a cluster’s <code>lrs_server</code> lead there, or put a tap
      before the server that they report to.
    </EmptyState>
  );
}
