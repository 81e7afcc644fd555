'use client';

import Link from 'next/link';
import { useQuestion } from '@/app/_ask/use-question';
import { CopyButton } from '@/app/_components/copy-button';
import { EmptyState } from '@/app/_components/empty-state';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { TypeText } from '@/app/_components/type-text';
import { formatCounted } from '@/lib/format/count';
import { describeMessage, formatIssue } from '@/lib/server-checks/format-issue';
import { findExpectedRun } from '@/lib/views/server-checks/build-check-table';
import type { CheckResultJson, CheckRunSummary } from '@/lib/views/server-checks/schema';
import { serverChecksHref } from './search-params';
import { VerdictMark } from './verdict-mark';

interface CheckDetailProps {
  readonly run: CheckRunSummary;
  readonly checkId: string;
  readonly runs: readonly CheckRunSummary[];
}

/** One check of one run: what was expected, what was seen, and the sentence that states the rule. */
export function CheckDetail({ run, checkId, runs }: CheckDetailProps) {
  const hasEnded = run.verdicts[checkId] !== undefined;
  const query = useQuestion(
    'interop/server-checks/{id}',
    { id: run.id, format: 'json' },
    { enabled: hasEnded },
  );
  const result = query.data?.results.find(({ id }) => id === checkId);
  if (!hasEnded) {
    return (
      <EmptyState title={`No result of ${checkId} in this run`}>
        {run.state === 'running'
          ? 'The run has not reached it.'
          : 'The run did not reach it, or another version of xdscope without this check made it.'}
      </EmptyState>
    );
  }
  return (
    <QueryContent query={query} what="the messages of the check">
      {() => result !== undefined && <CheckResult run={run} result={result} runs={runs} />}
    </QueryContent>
  );
}

interface CheckResultProps extends Pick<CheckDetailProps, 'run' | 'runs'> {
  readonly result: CheckResultJson;
}

/** The result with its messages; beside them those of the run that passes, if it is among the runs. */
export function CheckResult({ run, result, runs }: CheckResultProps) {
  const { id, title, level, expected, seen, verdict, source, tookMs } = result;
  const expectedRun = findExpectedRun(runs);
  return (
    <>
      <Panel
        title={`${id} ${title}`}
        vantage={`level: ${level}`}
        actions={
          <span className="flex items-center gap-1 text-medium">
            Copy issue text
            <CopyButton text={formatIssue(run, result)} label="Copy issue text" />
          </span>
        }
      >
        <dl className="grid gap-x-4 gap-y-1.5 sm:grid-cols-[max-content_minmax(0,1fr)]">
          <dt className="note">Verdict</dt>
          <dd>
            <VerdictMark verdict={verdict} />
          </dd>
          <dt className="note">Expected</dt>
          <dd>{expected}</dd>
          <dt className="note">Seen</dt>
          <dd className="break-words">{seen}</dd>
          <dt className="note">Specification</dt>
          <dd>
            <q>{source.sentence}</q>{' '}
            <a href={source.url} target="_blank" rel="noreferrer" className="link">
              {source.section}
            </a>
          </dd>
          {runs.length > 0 && <dt className="note">Other servers</dt>}
          <dd className="flex flex-wrap gap-x-5 gap-y-1">
            {runs.map(({ id: runId, server, version, verdicts }) => {
              const other = verdicts[id];
              if (other === undefined || runId === run.id) return null;
              return (
                <Link key={runId} href={serverChecksHref({ run: runId, check: id })} className="link-quiet">
                  {server}
                  {version !== undefined && ` ${version}`} <VerdictMark verdict={other} />
                </Link>
              );
            })}
          </dd>
        </dl>
      </Panel>
      <div className="grid items-start gap-3 lg:grid-cols-2">
        {expectedRun !== undefined && expectedRun.id !== run.id && (
          <ExpectedMessages run={expectedRun} checkId={id} />
        )}
        <Panel title="Seen" vantage={`${run.server}, ${Math.round(tookMs)} ms`} flush>
          {result.messages.length === 0 ? (
            <EmptyState title="No message was exchanged">{seen}</EmptyState>
          ) : (
            <MessageTable label="Seen messages" result={result} />
          )}
        </Panel>
      </div>
    </>
  );
}

/** The protocol states rules, not messages: those of a server that passes are an example. */
function ExpectedMessages({ run, checkId }: { readonly run: CheckRunSummary; readonly checkId: string }) {
  const query = useQuestion('interop/server-checks/{id}', { id: run.id, format: 'json' });
  const result = query.data?.results.find(({ id }) => id === checkId);
  return (
    <Panel
      title="Expected, as in a run that passes"
      vantage={`${run.server} ${run.version ?? ''}, with the resources of that server`}
      flush
    >
      <QueryContent query={query} what="the messages of a run that passes">
        {() =>
          result === undefined || result.verdict !== 'passes' ? (
            <EmptyState title="No run that passes">
              The runs that ship with xdscope have none for this check.
            </EmptyState>
          ) : (
            <MessageTable label="Expected messages" result={result} />
          )
        }
      </QueryContent>
    </Panel>
  );
}

interface MessageTableProps {
  readonly label: string;
  readonly result: Pick<CheckResultJson, 'messages' | 'moreMessages'>;
}

/** The messages of a check in the order of the stream, with the time since the first one. */
function MessageTable({ label, result: { messages, moreMessages = 0 } }: MessageTableProps) {
  const hasStreams = messages.some(({ stream }) => stream > 1);
  return (
    <>
      <table aria-label={label} className="w-full table-fixed text-left">
        <thead>
          <tr className="border-b border-line note">
            <th scope="col" className="w-18 py-1 pr-2 text-right font-medium">
              After
            </th>
            <th scope="col" className={`py-1 font-medium ${hasStreams ? 'w-30' : 'w-26'}`}>
              Message
            </th>
            <th scope="col" className="w-16 py-1 font-medium">
              Type
            </th>
            <th scope="col" className="py-1 pr-3 font-medium">
              Content
            </th>
          </tr>
        </thead>
        <tbody>
          {messages.map((message, at) => {
            const { isSent, stream, afterMs, typeUrl, error } = message;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other identity, and never move.
              <tr key={at} className="border-b border-line align-baseline last:border-0">
                <td className="py-1 pr-2 text-right whitespace-nowrap tabular-nums note">
                  {Math.round(afterMs)} ms
                </td>
                <td className="py-1">
                  {isSent ? '→ request' : '← response'}
                  {hasStreams && <span className="note"> {stream}</span>}
                </td>
                <td className="py-1">
                  {typeUrl === '' ? <span className="note">none</span> : <TypeText typeUrl={typeUrl} />}
                </td>
                <td
                  className={`py-1 pr-3 font-mono text-small wrap-anywhere ${error === '' ? '' : 'text-nacked'}`}
                >
                  {describeMessage(message) || <span className="note">no names, no nonce</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {moreMessages > 0 && (
        <p className="px-4 py-2 note">{formatCounted(moreMessages, 'later message')} were not recorded.</p>
      )}
    </>
  );
}
