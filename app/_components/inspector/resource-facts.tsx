import type { ReactNode } from 'react';
import { NotReported } from '@/app/_components/bytes-text';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatSentence } from '@/lib/format/sentence';
import {
  describeDelivery,
  describeEvidence,
  describeNoAnswer,
  describeNoEffect,
  describeStage,
} from '@/lib/views/inspector/describe-effect';
import { findDisagreement } from '@/lib/views/resources/find-disagreement';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { ConfigStatusText } from './config-status-text';

interface ResourceFactsProps {
  readonly row: ResourceRowJson;
  /** The propagation is shown below, which compares what the bodies mean. */
  readonly hasPropagation: boolean;
}

export function ResourceFacts({ row, hasPropagation }: ResourceFactsProps) {
  const found = findDisagreement(row);
  const isInSync = found?.kind === 'version-only';
  const disagreement = hasPropagation && !isInSync ? undefined : found;
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-x-4 gap-y-2 text-medium">
      <Fact name="Answer" title="What the client answered to the newest response that carried the resource">
        <AnswerText row={row} />
      </Fact>
      <Fact name="In effect" title="What the client runs. An ACK does not mean that a resource is in effect.">
        <EffectText row={row} />
      </Fact>
      <Fact name="Control plane" title="config_status: the control plane’s report">
        <ConfigStatusText row={row} />{' '}
        {row.side === 'control-plane' ? (
          <VersionText version={row.versionInfo} />
        ) : (
          row.controlPlane !== null && <VersionText version={row.controlPlane.versionInfo} />
        )}
      </Fact>
      {row.contentVersion !== undefined && (
        <Fact
          name="Content"
          title="The version of the first response with this content. Later responses contained it unchanged."
        >
          <span className="text-muted">last changed in</span> <VersionText version={row.contentVersion} />
        </Fact>
      )}
      <Fact name="Last updated" title="last_updated, by the clock of its source">
        <TimeAgo at={row.lastUpdated} never="not reported" />
      </Fact>
      <Fact name="Changed" title="When xdscope first saw this state">
        <TimeAgo at={row.changedAt} />
      </Fact>
      {row.ambientError !== undefined && (
        <div className="col-span-full text-small break-words text-timeout">
          <dt className="sr-only">In use despite</dt>
          <dd title="gRFC A88: an ambient error">
            Still in use despite {row.ambientError.code}: {row.ambientError.details} (
            <TimeAgo at={row.ambientError.since} />)
          </dd>
        </div>
      )}
      {row.otherVersions?.map(({ stage, versionInfo, lastUpdated }) => (
        <Fact key={stage} name={`Also ${stage}`} title="Another version that Envoy holds">
          <VersionText version={versionInfo} />{' '}
          <span className="text-muted">
            <TimeAgo at={lastUpdated} never="no time reported" />
          </span>
        </Fact>
      ))}
      {row.isOnDemand && (
        <div className="col-span-full flex min-w-0 gap-1.5 note">
          <dt className="whitespace-nowrap">Requested</dt>
          <dd title="VHDS, ODCDS">on demand: a request named it</dd>
        </div>
      )}
      {row.canonicalName !== undefined && (
        <div className="col-span-full flex min-w-0 gap-1.5 note">
          <dt className="whitespace-nowrap">Alias of</dt>
          <dd className="min-w-0 font-mono wrap-anywhere">{row.canonicalName}</dd>
        </div>
      )}
      {disagreement !== undefined && (
        <div className={`col-span-full text-small break-words ${isInSync ? 'text-muted' : 'text-timeout'}`}>
          <dt className="sr-only">Difference</dt>
          <dd>{formatSentence(isInSync ? disagreement.text : `differs: ${disagreement.text}`)}</dd>
        </div>
      )}
      {row.apiVersion === 'v2' && (
        <div className="col-span-full flex min-w-0 gap-1.5 note">
          <dt className="whitespace-nowrap">API</dt>
          <dd title="envoy.api.v2, read as its v3 counterpart">v2</dd>
        </div>
      )}
      {row.delivery !== undefined && (
        <div className="col-span-full flex min-w-0 gap-1.5 note">
          <dt className="whitespace-nowrap" title="The management server that sent what the client answered">
            Delivered by
          </dt>
          <dd className="min-w-0 wrap-anywhere">{describeDelivery(row.delivery)}</dd>
        </div>
      )}
      <div className="col-span-full flex min-w-0 gap-1.5 note">
        <dt className="whitespace-nowrap">Reported by</dt>
        <dd className="min-w-0 font-mono wrap-anywhere">{row.sourceId}</dd>
      </div>
    </dl>
  );
}

function Fact(props: { readonly name: string; readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-tiny text-muted" title={props.title}>
        {props.name}
      </dt>
      <dd className="min-w-0">{props.children}</dd>
    </div>
  );
}

interface RowProps {
  readonly row: ResourceRowJson;
}

function AnswerText({ row }: RowProps) {
  const { answer } = row;
  if (row.side === 'control-plane') return <NotReported why="not reported by the client" />;
  if (answer === null) return <span className="text-muted">{describeNoAnswer(row)}</span>;
  return (
    <span title={answer.sourceId} className="wrap-anywhere">
      <StatusMark status={answer.status} /> <VersionText version={answer.versionInfo} />{' '}
      <span className="text-muted">
        {answer.status === 'NO_ANSWER' && 'sent '}
        {answer.at !== null && <TimeAgo at={answer.at} />}
        {answer.sourceId !== row.sourceId && ` by ${answer.sourceId}`}
      </span>
    </span>
  );
}

function EffectText({ row }: RowProps) {
  const { effect } = row;
  if (row.side === 'control-plane') return <NotReported why="not reported by the client" />;
  if (effect === null) return <span className="text-muted">{describeNoEffect(row)}</span>;
  const stage = describeStage(effect);
  return (
    <span title={effect.sourceId}>
      <VersionText version={effect.versionInfo} />{' '}
      {stage !== '' && <span className="text-timeout">{stage} </span>}
      <span className="text-muted">
        since <TimeAgo at={effect.since} never="a time that is not reported" />, {describeEvidence(effect)}
      </span>
    </span>
  );
}

function VersionText({ version }: { readonly version: string }) {
  if (version === '') return <span className="text-muted">no version</span>;
  return (
    <span className="font-mono text-[0.9286em] wrap-anywhere" title="version_info">
      {version}
    </span>
  );
}
