'use client';

import { Button } from '@/app/_components/button';
import { GlyphMark } from '@/app/_components/shape-mark';
import { formatCounted } from '@/lib/format/count';
import type { ExplainedStep } from '@/lib/views/explain/schema';
import { shapeOfVerdict } from '@/lib/views/explain/verdict-shape';
import { formatResourceType } from '@/lib/xds/resource-type';
import { useClientViewQuery } from '../client/use-client-view-query';
import { explainParams } from './search-params';

/** Earlier routes beyond these are collapsed: the last ones are nearest to the route that is taken. */
const routesShown = 20;

/** The steps in their order, each with its verdict, its reason and the field that decides it. */
export function TraceSteps({
  steps,
  total,
}: {
  readonly steps: readonly ExplainedStep[];
  readonly total: number;
}) {
  const { query, setQuery } = useClientViewQuery(explainParams);
  const passed = steps.filter(({ stage, verdict }) => stage === 'route' && verdict === 'not-taken');
  const hidden = new Set(query.all ? [] : passed.slice(0, Math.max(0, passed.length - routesShown)));
  const first = steps.findIndex((step) => hidden.has(step));
  return (
    <ol aria-label="Steps" className="divide-y divide-line">
      {steps.length < total && (
        <li className="note px-4 py-2">
          The first {formatCounted(total - steps.length, 'step')} are not listed.
        </li>
      )}
      {steps.map((step, at) =>
        hidden.has(step) ? (
          at === first && (
            <li key="hidden" className="flex flex-wrap items-center gap-2 px-4 py-2">
              <span className="text-muted">{formatCounted(hidden.size, 'earlier route')} not taken.</span>
              <Button onPress={() => setQuery({ all: true })}>Show them</Button>
            </li>
          )
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is the identity of a step.
          <Step key={at} step={step} />
        ),
      )}
    </ol>
  );
}

function Step({
  step: { verdict, title, reason, resource, path, settings = [] },
}: {
  readonly step: ExplainedStep;
}) {
  const { openResource } = useClientViewQuery();
  const isPassed = verdict === 'not-taken';
  return (
    <li className={`px-4 py-2 ${isPassed ? 'bg-sunken/60' : ''}`}>
      <div className="grid grid-cols-1 gap-x-3 gap-y-0.5 @xl:grid-cols-[6.5rem_minmax(0,1fr)]">
        <GlyphMark shape={shapeOfVerdict(verdict)} className="self-start" />
        <div className="min-w-0">
          <p className={`break-words ${isPassed ? 'text-muted' : ''}`}>
            <span className="font-medium wrap-anywhere">{title}</span>
            {reason !== '' && <span className="wrap-anywhere">: {reason}</span>}
          </p>
          {settings.length > 0 && (
            <dl className="mt-1 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 text-medium">
              {settings.map(({ name, value }) => (
                <div key={name} className="contents">
                  <dt className="text-muted">{name}</dt>
                  <dd className="wrap-anywhere">{value}</dd>
                </div>
              ))}
            </dl>
          )}
          {resource !== undefined && (
            <button
              type="button"
              onClick={() => openResource({ typeUrl: resource.typeUrl, name: resource.name }, path)}
              className="note max-w-full rounded text-left link-hover wrap-anywhere"
            >
              {formatResourceType(resource.typeUrl)} {resource.name}
              {resource.versionInfo ? `, version ${resource.versionInfo}` : ''}
              {path === '' ? '' : ` · ${path}`}
            </button>
          )}
        </div>
      </div>
    </li>
  );
}
