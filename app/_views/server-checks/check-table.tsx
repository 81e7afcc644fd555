import Link from 'next/link';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { TimeAgo } from '@/app/_components/time-ago';
import { chooseColumns, groupBySection } from '@/lib/views/server-checks/build-check-table';
import type { CheckRunSummary, ServerCheckJson } from '@/lib/views/server-checks/schema';
import { serverChecksHref } from './search-params';
import { VerdictMark } from './verdict-mark';

interface CheckTableProps {
  readonly checks: readonly ServerCheckJson[];
  readonly runs: readonly CheckRunSummary[];
  readonly chosenId: string;
  /** The page of a run, or of one of its checks. */
  readonly hrefOf?: typeof serverChecksHref;
}

/** A row for each check, by section of the protocol; a column for each run. A verdict leads to its messages. */
export function CheckTable({ checks, runs, chosenId, hrefOf = serverChecksHref }: CheckTableProps) {
  const columns = chooseColumns(runs, chosenId);
  return (
    <ScrollFrame label="Checks by server">
      <table className="w-full text-left">
        <caption className="sr-only">Verdicts by check and server</caption>
        <thead>
          <tr className="border-b border-line align-bottom">
            <th scope="col" className="sticky left-0 min-w-44 bg-raised px-4 py-2 font-medium">
              Check
            </th>
            {columns.map((run) => (
              <th key={run.id} scope="col" className="px-3 py-2 font-medium">
                <RunHead run={run} isChosen={run.id === chosenId} href={hrefOf({ run: run.id })} />
              </th>
            ))}
          </tr>
        </thead>
        {groupBySection(checks).map(({ title, checks: ofSection }) => (
          <tbody key={title}>
            <tr>
              <th
                scope="rowgroup"
                colSpan={columns.length + 1}
                className="border-b border-line bg-sunken px-4 py-1 note font-medium"
              >
                <span className="sticky left-4">{title}</span>
              </th>
            </tr>
            {ofSection.map((check) => (
              <tr key={check.id} className="border-b border-line last:border-0">
                <th
                  scope="row"
                  title={check.expected}
                  className="sticky left-0 bg-raised px-4 py-1.5 font-normal"
                >
                  <span className="mr-2 font-mono text-small text-muted">{check.id}</span>
                  {check.title}
                  {check.level !== 'must' && <span className="note"> ({check.level})</span>}
                </th>
                {columns.map(({ id, state, verdicts }) => {
                  const verdict = verdicts[check.id];
                  return (
                    <td key={id} className={`px-3 py-1.5 ${id === chosenId ? 'bg-sunken' : ''}`}>
                      {verdict === undefined ? (
                        <span className="note">{state === 'running' ? 'not yet' : 'not run'}</span>
                      ) : (
                        <Link
                          href={hrefOf({ run: id, check: check.id })}
                          className="hover:underline"
                          prefetch={false}
                        >
                          <VerdictMark verdict={verdict} />
                        </Link>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </ScrollFrame>
  );
}

interface RunHeadProps {
  readonly run: CheckRunSummary;
  readonly isChosen: boolean;
  readonly href: string;
}

function RunHead({ run, isChosen, href }: RunHeadProps) {
  const { server, version, startedAt, origin } = run;
  return (
    <div className="flex flex-col">
      <Link
        href={href}
        aria-current={isChosen ? 'true' : undefined}
        className="max-w-44 link-quiet break-words"
        prefetch={false}
      >
        {server}
        {version !== undefined && ` ${version}`}
      </Link>
      <span className="note font-normal whitespace-nowrap">
        {origin === 'repository' && 'ships with xdscope, '}
        <TimeAgo at={startedAt} />
      </span>
    </div>
  );
}
