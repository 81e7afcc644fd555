'use client';

import { EmptyState } from '@/app/_components/empty-state';
import { BodyDiff } from '@/app/_components/inspector/body-diff';
import type { BodyFormatTab } from '@/app/_components/inspector/body-format';
import { BodySentence } from '@/app/_components/inspector/body-sentence';
import { BodyText } from '@/app/_components/inspector/body-text';
import { Panel } from '@/app/_components/panel';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { type BodyView, listBodyViews } from '@/lib/views/nacks/list-body-views';
import type { NackDetail } from '@/lib/views/nacks/schema';

interface PayloadPanelProps {
  readonly nack: NackDetail;
  /** Path of the marked field; empty: none. */
  readonly field: string;
  readonly body: string;
  readonly format: BodyFormatTab;
  readonly onChange: (change: { readonly body?: string; readonly format?: BodyFormatTab }) => void;
}

/** The rejected content with the marked field, the contents before and after it, and their differences. */
export function PayloadPanel({ nack, field, body, format, onChange }: PayloadPanelProps) {
  const views = listBodyViews(nack);
  const bodies = views.filter(({ kind }) => kind === 'body');
  const differences = views.filter(({ kind }) => kind === 'diff');
  const view = views.find(({ value }) => value === body) ?? views[0];
  return (
    <Panel title="Rejected payload" vantage={nack.payload === undefined ? 'not reported' : 'source below'}>
      <div className="flex flex-col gap-2">
        {nack.payload === undefined && (
          <EmptyState title="Rejected payload not reported">{nack.absence}</EmptyState>
        )}
        {views.length > 1 && (
          <div className="flex flex-wrap gap-x-4 gap-y-2">
            <ViewChoice label="Content" views={bodies} shown={view} onChange={onChange} />
            {differences.length > 0 && (
              <ViewChoice label="What differs" views={differences} shown={view} onChange={onChange} />
            )}
          </div>
        )}
        {view !== undefined && <BodySentence sentence={view.sentence} isWarning={view.isWarning} />}
        {view?.kind === 'body' && (
          <BodyText
            key={view.hash}
            row={nack.group}
            hash={view.hash}
            format={format}
            onFormatChange={(next) => onChange({ format: next })}
            field={field === '' ? null : field}
          />
        )}
        {view?.kind === 'diff' && <Differences key={view.value} name={nack.group.name} view={view} />}
      </div>
    </Panel>
  );
}

interface ViewChoiceProps {
  readonly label: string;
  readonly views: readonly BodyView[];
  readonly shown: BodyView | undefined;
  readonly onChange: PayloadPanelProps['onChange'];
}

function ViewChoice({ label, views, shown, onChange }: ViewChoiceProps) {
  return (
    <SegmentedChoice
      label={label}
      value={shown?.value ?? ''}
      options={views.map(({ value, label: word }) => ({ value, label: word }))}
      onChange={(next) => onChange({ body: next })}
    />
  );
}

function Differences({ name, view }: { readonly name: string; readonly view: DiffView }) {
  const { fromHash, toHash } = view;
  if (fromHash === toHash) {
    return <p className="note">The content is identical.</p>;
  }
  return <BodyDiff name={name} beforeHash={fromHash} afterHash={toHash} />;
}

type DiffView = Extract<BodyView, { readonly kind: 'diff' }>;
