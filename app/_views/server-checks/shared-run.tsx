'use client';

import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { EmptyState } from '@/app/_components/empty-state';
import { ExactTime } from '@/app/_components/exact-time';
import { Panel } from '@/app/_components/panel';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { StaleBanner } from '@/app/_components/stale-banner';
import { formatCounted } from '@/lib/format/count';
import { describeRun } from '@/lib/views/server-checks/describe-run';
import type { CheckRunJson } from '@/lib/views/server-checks/schema';
import { CheckResult } from './check-detail';
import { CheckTable } from './check-table';
import { sharedRunHref, sharedRunSearchParams } from './search-params';

/** A run as it was when it was shared. The page reads nothing else. */
export function SharedRun({ run }: { readonly run: CheckRunJson }) {
  const [{ check: checkId }] = useQueryStates(sharedRunSearchParams);
  const { id, server, version, startedAt, results, nodeId } = run;
  const result = results.find((each) => each.id === checkId);
  const path = `/p/checks/${encodeURIComponent(id)}`;
  return (
    <PageBody>
      <PageHead
        title={version === undefined ? server : `${server} ${version}`}
        vantage="a management server, by the rules of the xDS transport protocol"
      />
      <StaleBanner tone="notice">
        <strong className="font-semibold">Stored:</strong> the run of{' '}
        <ExactTime at={startedAt} className="font-medium" />
        {nodeId !== undefined && `, as node ${nodeId}`}. Nothing here changes.
      </StaleBanner>
      <p>{describeRun(run)}</p>
      {checkId !== '' && (
        <Link href={path} className="link-quiet">
          All checks of this run
        </Link>
      )}
      {checkId !== '' && result === undefined && (
        <EmptyState title={`No result of ${checkId} in this run`}>The run did not reach it.</EmptyState>
      )}
      {result !== undefined && <CheckResult run={run} result={result} runs={[]} />}
      {checkId === '' && (
        <Panel title="Checks" vantage={`${formatCounted(results.length, 'check')} with a result`} flush>
          <CheckTable
            checks={results}
            runs={[run]}
            chosenId={id}
            hrefOf={({ check = '' }) => sharedRunHref(path, { check })}
          />
        </Panel>
      )}
    </PageBody>
  );
}
