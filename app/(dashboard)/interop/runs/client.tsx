'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Answer } from '@/app/_ask/question';
import { useCommand } from '@/app/_ask/use-command';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorLine } from '@/app/_components/error-line';
import { InteropTabs } from '@/app/_components/interop-tabs';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { SelectField } from '@/app/_components/select-field';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { TimeAgo } from '@/app/_components/time-ago';
import { InteropVerdictMark } from '@/app/_views/interop-matrix/interop-verdict-mark';
import { interopRunHref, programOf } from '@/app/_views/interop-runs/interop-run-href';
import { formatCounted } from '@/lib/format/count';
import type { InteropRunSummary } from '@/lib/interop/run-schema';

export function RunsPage() {
  const query = useQuestion('interop/runs', {});
  return (
    <PageBody>
      <PageHead title="Runs" vantage="cases of the gRPC xDS interop tests, run with real clients" />
      <InteropTabs current="/interop/runs" />
      <QueryContent query={query} what="the runs" rows={8}>
        {(runs) => (
          <>
            <Panel title="Run cases" vantage="on a management server and backends of their own">
              <StartForm runs={runs} />
            </Panel>
            <Panel
              title="Runs"
              vantage={`${formatCounted(runs.items.length, 'run')}, newest first`}
              actions={runs.items.some(({ state }) => state !== 'ended') ? <StopButton /> : undefined}
              flush
            >
              {runs.items.length === 0 ? (
                <EmptyState title="No run yet">
                  Choose a client and a case above. A run takes some seconds.
                </EmptyState>
              ) : (
                <RunTable items={runs.items} />
              )}
            </Panel>
          </>
        )}
      </QueryContent>
    </PageBody>
  );
}

function StopButton() {
  const stop = useCommand('DELETE interop/runs');
  return (
    <>
      <ErrorLine error={stop.error} />
      <Button isPending={stop.isPending} onPress={() => stop.mutate({})}>
        Stop all
      </Button>
    </>
  );
}

const allCases = '';

function StartForm({ runs: { clients, cases } }: { readonly runs: Answer<'interop/runs'> }) {
  const usable = clients.filter(({ unavailable }) => unavailable === undefined);
  const missing = clients.filter(({ unavailable }) => unavailable !== undefined);
  const [client, setClient] = useState(usable[0] === undefined ? '' : programOf(usable[0]));
  const [testCase, setCase] = useState(cases[0]?.name ?? allCases);
  const start = useCommand('POST interop/runs');
  const router = useRouter();
  function submit(): void {
    const chosen = testCase === allCases ? {} : { cases: [testCase] };
    const input = { client, ...chosen };
    start.mutate(input, {
      onSuccess: ({ items: [first, second] }) => {
        if (first !== undefined && second === undefined) router.push(interopRunHref(first.id));
      },
    });
  }
  return (
    <form
      aria-label="Run cases"
      className="flex flex-wrap items-end gap-x-4 gap-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <SelectField
        label="Client"
        value={client}
        options={usable.map((each) => ({ value: programOf(each), label: `${each.name} ${each.version}` }))}
        onChange={setClient}
        className="w-56"
      />
      <SelectField
        label="Case"
        value={testCase}
        options={[
          ...cases.map(({ name }) => ({ value: name, label: name })),
          { value: allCases, label: `All ${cases.length} cases` },
        ]}
        onChange={setCase}
        className="w-96"
      />
      <Button tone="accent" icon="play" type="submit" isPending={start.isPending} isDisabled={client === ''}>
        Run
      </Button>
      <p className="w-full note">
        {cases.find(({ name }) => name === testCase)?.title ?? 'One after the other, in some minutes'}.
      </p>
      <ErrorLine error={start.error} />
      {missing.map(({ name, version, unavailable }) => (
        <p key={`${name} ${version}`} className="w-full note">
          {name} {version} cannot run here: {unavailable}.
        </p>
      ))}
      <p className="w-full note">
        A client of your own: <code>interopClients</code> of the config file, or{' '}
        <code>npm run interop -- --client NAME --command ./client</code>.
      </p>
    </form>
  );
}

function RunTable({ items }: { readonly items: readonly InteropRunSummary[] }) {
  return (
    <ScrollFrame label="Runs, scrolled">
      <table aria-label="Runs of cases" className="w-full text-left">
        <thead className="note">
          <tr className="border-b border-line">
            {['Case', 'Client', 'Result', 'Seconds', 'Started', 'Reason'].map((head) => (
              <th key={head} scope="col" className="px-4 py-1.5 font-normal">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map(({ id, case: name, client, state, verdict, seconds, startedAt, reason }) => (
            <tr key={id} className="border-b border-line last:border-0">
              <th scope="row" className="px-4 py-1.5 font-normal">
                <Link href={interopRunHref(id)} className="link-hover font-mono" prefetch={false}>
                  {name}
                </Link>
              </th>
              <td className="px-4 whitespace-nowrap">
                {client.name} {client.version}
              </td>
              <td className="px-4">
                {verdict === undefined ? state : <InteropVerdictMark verdict={verdict} />}
              </td>
              <td className="px-4 text-right tabular-nums">{seconds?.toFixed(1) ?? ''}</td>
              <td className="px-4 whitespace-nowrap">
                <TimeAgo at={startedAt} />
              </td>
              <td className="min-w-80 px-4 note break-words">{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
