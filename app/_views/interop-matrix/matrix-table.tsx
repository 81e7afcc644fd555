'use client';

import Link from 'next/link';
import { NameText } from '@/app/_components/name-text';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatDay } from '@/lib/format/exact-time';
import { formatShare } from '@/lib/format/share';
import type { FeatureCell, Matrix, MatrixCell, MatrixColumn } from '@/lib/views/interop-matrix/build-matrix';
import { interopRunHref } from '../interop-runs/interop-run-href';
import { InteropVerdictMark } from './interop-verdict-mark';

interface MatrixTableProps {
  readonly matrix: Matrix;
  /** Some cases were run here, so that the results of the others are marked. */
  readonly isMixed: boolean;
  readonly openFeatures: ReadonlySet<string>;
  readonly onToggle: (feature: string) => void;
}

/** A row for each feature, which opens to its cases; a column for each version of a client. A result leads to its run. */
export function MatrixTable({ matrix, isMixed, openFeatures, onToggle }: MatrixTableProps) {
  const { columns, features } = matrix;
  return (
    <ScrollFrame label="Cases by client">
      <table className="w-full text-left">
        <caption className="sr-only">Results of cases by client and version</caption>
        <thead>
          <tr className="border-b border-line align-bottom">
            <th scope="col" className="sticky left-0 min-w-44 bg-raised px-4 py-2 font-medium">
              Feature
            </th>
            {columns.map((column) => (
              <th key={column.key} scope="col" className="px-3 py-2 font-medium">
                <ColumnHead column={column} />
              </th>
            ))}
          </tr>
        </thead>
        {features.map(({ feature, grfcs, rows, cells }) => {
          const isOpen = openFeatures.has(feature);
          return (
            <tbody key={feature}>
              <tr className="border-b border-line">
                <th scope="rowgroup" className="sticky left-0 bg-raised px-4 py-1.5 font-medium">
                  <button
                    type="button"
                    aria-expanded={isOpen}
                    onClick={() => onToggle(feature)}
                    className="inline-flex items-baseline gap-2 py-1 text-left hover:underline"
                  >
                    <span aria-hidden="true" className="inline-block w-3 text-muted">
                      {isOpen ? '▾' : '▸'}
                    </span>
                    {feature}
                  </button>
                  {grfcs.map((grfc) => (
                    <GrfcLink key={grfc} grfc={grfc} />
                  ))}
                </th>
                {cells.map((cell, at) => (
                  <td key={columns[at]?.key} className="px-3 py-1.5 whitespace-nowrap">
                    <FeatureSum cell={cell} />
                  </td>
                ))}
              </tr>
              {isOpen &&
                rows.map(({ case: { name, title }, cells: ofCase }) => (
                  <tr key={name} className="border-b border-line bg-sunken">
                    <th
                      scope="row"
                      className="sticky left-0 bg-sunken py-1.5 pr-4 pl-9 align-top font-normal"
                    >
                      <NameText name={name} />
                      <span className="block max-w-md note">{title}</span>
                    </th>
                    {ofCase.map((cell, at) => (
                      <td key={columns[at]?.key} className="px-3 py-1.5 align-top whitespace-nowrap">
                        <CaseResult cell={cell} what={`${name} with ${columns[at]?.key}`} isMixed={isMixed} />
                      </td>
                    ))}
                  </tr>
                ))}
            </tbody>
          );
        })}
      </table>
    </ScrollFrame>
  );
}

/** The files of the proposals in github.com/grpc/proposal. */
const proposals: Readonly<Record<string, string>> = {
  A27: 'A27-xds-global-load-balancing',
  A28: 'A28-xds-traffic-splitting-and-routing',
  A29: 'A29-xds-tls-security',
  A31: 'A31-xds-timeout-support-and-config-selector',
  A32: 'A32-xds-circuit-breaking',
  A33: 'A33-Fault-Injection',
  A40: 'A40-csds-support',
  A41: 'A41-xds-rbac',
  A42: 'A42-xds-ring-hash-lb-policy',
  A44: 'A44-xds-retry',
  A47: 'A47-xds-federation',
  A50: 'A50-xds-outlier-detection',
  A52: 'A52-xds-custom-lb-policies',
  A56: 'A56-priority-lb-policy',
  A61: 'A61-IPv4-IPv6-dualstack-backends',
  A71: 'A71-xds-fallback',
};

function GrfcLink({ grfc }: { readonly grfc: string }) {
  const file = proposals[grfc];
  if (file === undefined) return <span className="ml-2 note font-normal">gRFC {grfc}</span>;
  return (
    <a
      href={`https://github.com/grpc/proposal/blob/master/${file}.md`}
      target="_blank"
      rel="noreferrer"
      className="ml-2 inline-block py-1.5 link-quiet note font-normal"
    >
      gRFC {grfc}
    </a>
  );
}

function ColumnHead({ column }: { readonly column: MatrixColumn }) {
  const { name, version, unavailable, inFleet, share } = column;
  return (
    <div className="flex flex-col">
      <span className="whitespace-nowrap">
        {name} {version}
      </span>
      <span className="note font-normal whitespace-nowrap">
        {inFleet === undefined
          ? 'not in this fleet'
          : `${inFleet.clients} in this fleet, ${formatShare(share)}`}
      </span>
      {unavailable !== undefined && (
        <Link
          href="/interop/runs"
          className="max-w-44 py-1 link-quiet note font-normal break-words"
          title={unavailable}
          prefetch={false}
        >
          cannot run here: how to get it
        </Link>
      )}
    </div>
  );
}

function FeatureSum({ cell: { working, ran, unable, cases, differs } }: { readonly cell: FeatureCell }) {
  const absent = [
    ...(unable > 0 ? [`${unable} unable`] : []),
    ...(ran + unable < cases ? [`${cases - ran - unable} without a result`] : []),
  ].join(', ');
  if (ran === 0) return <span className="note">{unable === 0 ? 'no result' : absent}</span>;
  return (
    <>
      <span className={working === ran ? 'text-acked' : 'text-nacked'}>
        {working} of {ran} work
      </span>
      {absent !== '' && <span className="note">, {absent}</span>}
      {differs > 0 && <Differs />}
    </>
  );
}

interface CaseResultProps {
  readonly cell: MatrixCell;
  /** The case and the client. */
  readonly what: string;
  readonly isMixed: boolean;
}

function CaseResult({ cell, what, isMixed }: CaseResultProps) {
  const { verdict, seconds, reason, known, runId, working, runs, shippedAt, claims, differs } = cell;
  const timeZone = useTimeZone();
  const mark = <InteropVerdictMark verdict={verdict} />;
  const why = [reason, known === undefined ? '' : `known: ${known}`].filter((each) => each !== '').join('; ');
  return (
    <div title={why}>
      {runId === undefined ? (
        mark
      ) : (
        <Link
          href={interopRunHref(runId)}
          aria-label={`Run of ${what}: ${verdict}`}
          className="hover:underline"
          prefetch={false}
        >
          {mark}
        </Link>
      )}
      {verdict === 'flaky' && (
        <span className="note">
          {' '}
          {working}/{runs}
        </span>
      )}
      {seconds !== undefined && <span className="ml-1.5 note tabular-nums">{seconds.toFixed(1)} s</span>}
      {differs && <Differs />}
      {isMixed && shippedAt !== undefined && (
        <span
          className="block note"
          title="No run of this case was done here."
          // The server's time zone differs from the browser's.
          suppressHydrationWarning
        >
          ships with xdscope, of {formatDay(shippedAt, timeZone)}
        </span>
      )}
      <Claims claims={claims} />
    </div>
  );
}

/** One line if both claims are the same. */
function Claims({ claims }: Pick<MatrixCell, 'claims'>) {
  const [first, second] = claims;
  if (first === undefined) return null;
  const isSame = second === undefined || second.isSupported === first.isSupported;
  const shown = isSame ? [first] : claims;
  return shown.map(({ source, isSupported }) => (
    <span key={source} className="block note" title={claims.map(describeClaim).join('; ')}>
      {isSame ? 'claimed' : source}: {isSupported ? 'works' : 'not supported'}
    </span>
  ));
}

function describeClaim({ source, isSupported, since }: MatrixCell['claims'][number]): string {
  if (since === undefined) return `${source}: ${isSupported ? 'every release' : 'no release'}`;
  return `${source}: since release ${since}`;
}

function Differs() {
  return (
    <span
      className="ml-1.5 rounded border border-line-strong px-1 note font-medium text-text"
      title="the result contradicts what gRPC claims of this release"
    >
      ≠ differs
    </span>
  );
}
