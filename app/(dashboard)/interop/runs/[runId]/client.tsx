'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useCommand } from '@/app/_ask/use-command';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorLine } from '@/app/_components/error-line';
import { InteropTabs } from '@/app/_components/interop-tabs';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { InteropVerdictMark } from '@/app/_views/interop-matrix/interop-verdict-mark';
import { interopMatrixHref, interopRunHref, programOf } from '@/app/_views/interop-runs/interop-run-href';
import { RunClientView } from '@/app/_views/interop-runs/run-client-view';
import { RunSteps } from '@/app/_views/interop-runs/run-steps';
import { interopRunSearchParams } from '@/app/_views/interop-runs/search-params';
import { ServedPanel } from '@/app/_views/interop-runs/served-panel';
import { formatCounted } from '@/lib/format/count';
import type { InteropClient, InteropRun } from '@/lib/interop/run-schema';

export function RunPage({ runId }: { readonly runId: string }) {
  const query = useQuestion('interop/runs/{id}', { id: runId });
  const run = query.data;
  return (
    <PageBody>
      <PageHead
        title={run === undefined ? 'Run' : `${run.case} with ${run.client.name} ${run.client.version}`}
        vantage={
          run?.isShipped ? 'a run that ships with xdscope' : 'a run of a case of the gRPC xDS interop tests'
        }
        age={run?.startedAt}
        actions={run === undefined ? undefined : <RunActions run={run} />}
      />
      <InteropTabs current="/interop/runs" />
      <QueryContent query={query} what="the run" rows={8}>
        {(found) => <Content run={found} />}
      </QueryContent>
    </PageBody>
  );
}

function Content({ run }: { readonly run: InteropRun }) {
  const [{ step, at, view }, setParams] = useQueryStates(interopRunSearchParams, { history: 'replace' });
  const { steps, clientId, state } = run;
  const chosen = steps.find((each) => each.step === step) ?? steps.at(-1);
  // The newest step of a run is now.
  const isNow = state !== 'ended' && chosen === steps.at(-1);
  // At the first step, the start of the client, no source has reported it.
  const before = steps.find(({ step: number }) => number > 1 && number === (chosen?.step ?? 0) - 1);
  return (
    <>
      <CaseLine name={run.case} />
      <Outcome run={run} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(20rem,1fr)_minmax(0,2fr)]">
        <Panel title="Steps" vantage={`${steps.length} of ${run.of} have a result`} flush>
          <RunSteps
            run={run}
            chosen={chosen?.step ?? 0}
            onChoose={(next) => void setParams({ at: '', step: next === steps.at(-1)?.step ? 0 : next })}
          />
        </Panel>
        <Panel title={titleOf(at, chosen?.step)} vantage="tap, CSDS, channelz and its own statistics" flush>
          {clientId === undefined ? (
            <EmptyState title="Not reported">{whyNoClient(run)}</EmptyState>
          ) : (
            <RunClientView
              clientId={clientId}
              at={at !== '' || isNow || chosen === undefined ? at : new Date(chosen.at).toISOString()}
              since={before === undefined ? null : new Date(before.at).toISOString()}
              view={view}
              onView={(next) => void setParams({ view: next })}
            />
          )}
        </Panel>
      </div>
      {chosen !== undefined && <ServedPanel run={run} step={chosen.step} />}
      <Program run={run} />
    </>
  );
}

function whyNoClient({ state, isShipped }: InteropRun): string {
  if (isShipped)
    return 'This run ships with xdscope and was done elsewhere: its steps and resources are here. Run the case again to see the client.';
  return state === 'ended'
    ? 'No source reported the client while the run lasted, or the run was not recorded.'
    : 'The views follow when a source reports the client.';
}

function titleOf(at: string, step: number | undefined): string {
  if (at !== '') return 'The client at the chosen time';
  return step === undefined ? 'The client' : `The client at step ${step}`;
}

/** What the case proves, and where its results with other clients are. */
function CaseLine({ name }: { readonly name: string }) {
  const { data: runs } = useQuestion('interop/runs', {});
  const found = runs?.cases.find((each) => each.name === name);
  return (
    <p className="text-muted">
      {found !== undefined && `${found.title}. `}
      <Link href={interopMatrixHref(name)} className="link" prefetch={false}>
        Results with all clients
      </Link>
    </p>
  );
}

function Outcome({ run }: { readonly run: InteropRun }) {
  const { state, verdict, reason, known, seconds, nacks } = run;
  const took = seconds === undefined ? '' : `after ${seconds.toFixed(1)} s`;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3">
      {verdict === undefined ? (
        <span className="font-medium">{state === 'waiting' ? 'Waiting' : 'Running'}</span>
      ) : (
        <InteropVerdictMark verdict={verdict} />
      )}
      {took !== '' && <span className="note">{took}</span>}
      {reason !== '' && <span className="break-words">{reason}</span>}
      {known !== undefined && <span className="note break-words">Known: {known}.</span>}
      {verdict === 'inconclusive' && <span className="basis-full">{howToDecide(run)}</span>}
      {nacks > 0 && <span className="note">{nacks} NACKs</span>}
    </p>
  );
}

/** What to do about a run that proves nothing. */
function howToDecide({ machine, stderr }: InteropRun): string {
  if (machine !== undefined && machine.load > machine.cores)
    return `The run proves nothing about the client. The machine was busy: load ${machine.load.toFixed(1)} on ${formatCounted(machine.cores, 'core')} when it began. Run the case again when it is idle.`;
  const more = stderr === '' ? '' : ', and the end of its standard error below,';
  return `The run proves nothing about the client. The reason above${more} states what to repair: then run the case again.`;
}

/** How the client was started, and what it wrote. */
function Program({ run }: { readonly run: InteropRun }) {
  const { nodeId, flags, bootstrap, stderr, environment = {}, machine, backends } = run;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return (
    <Panel title="Program" vantage={`node id ${nodeId}`}>
      {machine !== undefined && <Listing title="Machine" text={describeMachine(machine)} />}
      {backends !== undefined && (
        <Listing title="xDS-enabled servers" text={`${backends.name} ${backends.version}`} />
      )}
      <Listing title="Environment variables" text={variables.join(' ')} />
      <Listing title="Flags" text={flags.join(' ')} />
      <Listing
        title="Bootstrap"
        text={bootstrap === '' ? '' : JSON.stringify(JSON.parse(bootstrap), null, 2)}
      />
      <Listing title="The end of its standard error" text={stderr} />
    </Panel>
  );
}

function describeMachine({ platform, cores, load, node }: NonNullable<InteropRun['machine']>): string {
  return `${platform}, ${formatCounted(cores, 'core')}, load ${load.toFixed(1)} at the start; servers and backends on Node ${node}`;
}

function Listing({ title, text }: { readonly title: string; readonly text: string }) {
  if (text === '') return null;
  return (
    <section aria-label={title} className="pb-2">
      <h3 className="note font-medium">{title}</h3>
      <pre className="overflow-x-auto text-small whitespace-pre-wrap break-all">{text}</pre>
    </section>
  );
}

function RunActions({ run }: { readonly run: InteropRun }) {
  const { case: name, client, clientId, state, startedAt, endedAt } = run;
  const { data: runs } = useQuestion('interop/runs', {});
  const start = useCommand('POST interop/runs');
  const router = useRouter();
  const others = runs?.clients.filter(({ unavailable }) => unavailable === undefined) ?? [];
  const isPending = start.isPending || state !== 'ended';

  function again(): void {
    const input = { client: programOf(client), cases: [name] };
    start.mutate(input, {
      onSuccess: ({ items: [first] }) => {
        if (first !== undefined) router.push(interopRunHref(first.id));
      },
    });
  }
  function runWith([first, ...rest]: readonly InteropClient[]): void {
    if (first === undefined) router.push('/interop/runs');
    else start.mutate({ client: programOf(first), cases: [name] }, { onSuccess: () => runWith(rest) });
  }
  return (
    <>
      <Button icon="play" isPending={isPending} onPress={again}>
        Run again
      </Button>
      {others.length > 1 && (
        <Button isPending={isPending} onPress={() => runWith(others)}>
          Run for all clients
        </Button>
      )}
      {clientId !== undefined && endedAt !== undefined && (
        <Link
          href={`/api/v1/export?${new URLSearchParams({
            client: clientId,
            from: new Date(startedAt).toISOString(),
            to: new Date(endedAt).toISOString(),
          })}`}
          prefetch={false}
          className="link"
        >
          Export
        </Link>
      )}
      <ErrorLine error={start.error} />
    </>
  );
}
