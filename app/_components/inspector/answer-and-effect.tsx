import { NotReported } from '@/app/_components/bytes-text';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import type { ResourceRowJson } from '@/lib/api/schema';
import {
  describeEvidence,
  describeNoAnswer,
  describeNoEffect,
  describeStage,
} from '@/lib/view-model/inspector/describe-effect';
import { VersionText } from './version-text';

interface RowProps {
  readonly row: ResourceRowJson;
}

export function AnswerText({ row }: RowProps) {
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

export function EffectText({ row }: RowProps) {
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
