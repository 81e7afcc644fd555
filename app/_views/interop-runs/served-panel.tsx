import { ChangedLines } from '@/app/_components/changed-lines';
import { EmptyState } from '@/app/_components/empty-state';
import { Panel } from '@/app/_components/panel';
import { formatCounted } from '@/lib/format/count';
import type { InteropRun } from '@/lib/interop/run-schema';
import { listServed, type ServedResource } from '@/lib/views/interop/list-served';

interface ServedPanelProps {
  readonly run: InteropRun;
  /** The chosen step. */
  readonly step: number;
}

const words = { added: 'new', changed: 'changed', removed: 'no longer served', same: 'unchanged' } as const;
const mostLines = 200;

/** The resources that the management servers of the run serve at a step, with what the step changed. */
export function ServedPanel({ run: { steps }, step }: ServedPanelProps) {
  const resources = listServed(steps, step);
  const changed = resources.filter(({ change }) => change !== 'same').length;
  const isKept = steps.some(({ served }) => served !== undefined);
  return (
    <Panel
      title={`Served at step ${step}`}
      vantage={`${formatCounted(changed, 'resource')} of ${resources.length} changed by the step`}
      flush
    >
      {resources.length === 0 ? (
        <EmptyState title={isKept ? 'No server serves a resource' : 'Not recorded'}>
          {isKept
            ? 'No management server runs at this step, or it has no resources.'
            : 'The run is of an xdscope that did not keep what was served: run the case again.'}
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line">
          {resources.map((resource) => (
            <li key={`${step} ${resource.key}`}>
              <Resource resource={resource} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Resource({ resource }: { readonly resource: ServedResource }) {
  const { server, service, name, change, before, after } = resource;
  return (
    <details open={change === 'changed'} className="px-4">
      <summary className="cursor-pointer py-1.5">
        <span className="text-muted">{service}</span> <span className="font-mono break-all">{name}</span>{' '}
        <span className="note">
          {server}, {words[change]}
        </span>
      </summary>
      <div className="overflow-x-auto pb-2 text-small">
        {change === 'changed' ? (
          <ChangedLines before={before} after={after} mostLines={mostLines} />
        ) : (
          <pre className="font-mono leading-snug">{after ?? before}</pre>
        )}
      </div>
    </details>
  );
}
