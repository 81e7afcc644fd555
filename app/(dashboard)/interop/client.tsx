'use client';

import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { FilterField } from '@/app/_components/filter-field';
import { InteropTabs } from '@/app/_components/interop-tabs';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { ConsequenceList } from '@/app/_views/interop-matrix/consequence-list';
import { MatrixTable } from '@/app/_views/interop-matrix/matrix-table';
import { interopMatrixSearchParams } from '@/app/_views/interop-matrix/search-params';
import { formatCounted } from '@/lib/format/count';
import { formatDay } from '@/lib/format/exact-time';
import type { InteropMatrix } from '@/lib/interop/run-schema';
import { buildMatrix, type Matrix } from '@/lib/views/interop-matrix/build-matrix';
import { filterMatrix, matrixGrammar } from '@/lib/views/interop-matrix/filter-matrix';
import type { InteropFleet } from '@/lib/views/interop-matrix/fleet-schema';
import { listConsequences } from '@/lib/views/interop-matrix/list-consequences';

export function MatrixPage() {
  const query = useQuestion('interop/matrix', {});
  const { data: fleet } = useQuestion('interop/fleet', {});
  return (
    <PageBody>
      <PageHead title="Interop" vantage="cases of the gRPC xDS interop tests, run with real clients" />
      <InteropTabs current="/interop" />
      <QueryContent query={query} what="the results of the cases" rows={12}>
        {(results) => <Content results={results} fleet={fleet} />}
      </QueryContent>
    </PageBody>
  );
}

interface ContentProps {
  readonly results: InteropMatrix;
  /** undefined: not loaded yet. */
  readonly fleet: InteropFleet | undefined;
}

const howToRun = (
  <>
    A case takes some seconds: start one under{' '}
    <Link href="/interop/runs" className="link">
      Runs
    </Link>
    , or run <code>npm run interop -- --client grpc-js</code>.
  </>
);

function Content({ results, fleet }: ContentProps) {
  const [{ q, differs, fleet: inFleet, open }, setParams] = useQueryStates(interopMatrixSearchParams, {
    history: 'replace',
  });
  const timeZone = useTimeZone();
  const matrix = buildMatrix(results, fleet);
  const shown = filterMatrix(matrix, { text: q, differs, inFleet });
  const consequences = fleet === undefined ? [] : listConsequences(matrix, fleet.clients);
  const ran = results.cells.filter(({ verdict }) => verdict !== 'not-run');
  const isRunHere = ran.some(({ shippedAt }) => shippedAt === undefined);
  const isFiltered = countRows(shown) < countRows(matrix);
  // The cases that were searched are shown.
  const openFeatures = new Set(isFiltered ? shown.features.map(({ feature }) => feature) : open);
  const toggle = (feature: string): void => {
    const others = open.filter((each) => each !== feature);
    void setParams({ open: open.includes(feature) ? others : [...others, feature] });
  };
  return (
    <>
      {consequences.length > 0 && (
        <Panel
          title="In this fleet"
          vantage={`${formatCounted(fleet?.clients ?? 0, 'live gRPC client')}, by user agent and config`}
          partial={fleet !== undefined && fleet.notRead > 0 ? `${fleet.notRead} payloads not read yet` : ''}
          flush
        >
          <ConsequenceList consequences={consequences} />
        </Panel>
      )}
      {!isRunHere &&
        (ran.length === 0 ? (
          <EmptyState title="No case was run here yet">{howToRun}</EmptyState>
        ) : (
          <p
            className="text-muted"
            // The server's time zone differs from the browser's.
            suppressHydrationWarning
          >
            No case was run here yet. The results below ship with xdscope; they are of{' '}
            {formatDay(Math.max(...ran.map(({ shippedAt = 0 }) => shippedAt)), timeZone)}. {howToRun}
          </p>
        ))}
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <FilterField
          label="Filter cases"
          grammar={matrixGrammar}
          valuesOf={(field) => valuesOf(matrix, field)}
          placeholder="outlier  client=grpc-go  verdict=fails"
          value={q}
          onChange={(text) => void setParams({ q: text || null })}
          className="w-full md:w-96"
        />
        <Toggle
          text="Claim and run differ"
          isOn={differs}
          onChange={(next) => void setParams({ differs: next })}
        />
        <Toggle text="In this fleet" isOn={inFleet} onChange={(next) => void setParams({ fleet: next })} />
      </div>
      <Panel
        title="Matrix"
        vantage={`${formatCounted(results.cases.length, 'case')} with ${formatCounted(results.clients.length, 'client')}; the newest runs of each`}
        partial={describeOthers(matrix, fleet)}
        flush
      >
        {shown.features.length === 0 || shown.columns.length === 0 ? (
          <EmptyState title="Nothing matches the filter">
            {shown.columns.length === 0
              ? `The clients of the matrix are ${matrix.columns.map(({ key }) => key).join(', ')}.`
              : 'No case has these words and a result that fulfils every condition.'}
          </EmptyState>
        ) : (
          <MatrixTable matrix={shown} isMixed={isRunHere} openFeatures={openFeatures} onToggle={toggle} />
        )}
      </Panel>
    </>
  );
}

function countRows({ features }: Matrix): number {
  return features.reduce((sum, { rows }) => sum + rows.length, 0);
}

function valuesOf({ columns, features }: Matrix, field: string): readonly string[] {
  if (field === 'client')
    return [...new Set(columns.flatMap(({ name, version }) => [name, `${name}@${version}`]))];
  if (field === 'feature') return features.flatMap(({ feature, grfcs }) => [feature, ...grfcs]);
  return field === 'case' ? features.flatMap(({ rows }) => rows.map((row) => row.case.name)) : [];
}

/** The releases of the fleet without a column. */
function describeOthers({ columns }: Matrix, fleet: InteropFleet | undefined): string {
  const known = new Set(columns.flatMap(({ inFleet }) => inFleet?.userAgent ?? []));
  const others = fleet?.releases.filter(({ userAgent }) => !known.has(userAgent)) ?? [];
  if (others.length === 0) return '';
  const named = others.map(({ userAgent, clients }) => `${userAgent} (${clients})`);
  return `in this fleet, and not in the matrix: ${named.slice(0, 5).join(', ')}`;
}

interface ToggleProps {
  readonly text: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Toggle({ text, isOn, onChange }: ToggleProps) {
  return (
    <label className="inline-flex items-center gap-1.5">
      <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
      {text}
    </label>
  );
}
