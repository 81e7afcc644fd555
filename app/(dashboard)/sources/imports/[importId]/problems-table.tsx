import type { ImportProblem } from '@/lib/api/imports';
import { formatCount } from '@/lib/format/count';
import { NotReported } from '../../../../_components/bytes-text';

interface ProblemsTableProps {
  readonly items: readonly ImportProblem[];
  /** Number of the first of them, from 0. */
  readonly first: number;
}

/** Place, byte and reason of each; on a phone one under the other. */
export function ProblemsTable({ items, first }: ProblemsTableProps) {
  const numbered = items.map((item, index) => ({ ...item, number: first + index }));
  return (
    <table className="w-full text-[0.9286rem]">
      <thead className="text-left text-[0.8571rem] text-muted max-md:sr-only">
        <tr>
          <th className="px-4 py-1.5 font-medium">Place</th>
          <th className="px-4 py-1.5 text-right font-medium">Byte</th>
          <th className="px-4 py-1.5 font-medium">Reason</th>
        </tr>
      </thead>
      <tbody>
        {numbered.map(({ place, offset, reason, number }) => (
          <tr
            key={number}
            className="border-t border-line align-top max-md:flex max-md:flex-col max-md:px-4 max-md:py-2"
          >
            <td className="font-mono text-[0.8571rem] wrap-anywhere md:w-2/5 md:px-4 md:py-1.5">
              {place === '' ? <span className="font-sans text-muted">all of it</span> : place}
            </td>
            <td className="text-muted tabular-nums md:px-4 md:py-1.5 md:text-right md:whitespace-nowrap">
              {offset === null ? (
                <NotReported />
              ) : (
                <>
                  <span className="md:hidden">byte </span>
                  {formatCount(offset)}
                </>
              )}
            </td>
            <td className="wrap-anywhere md:px-4 md:py-1.5">{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
