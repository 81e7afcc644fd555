'use client';

import { EmptyState } from '@/app/_components/empty-state';
import type { ResourceRowJson } from '@/lib/api/schema';
import type { Bodies } from '@/lib/view-model/inspector/build-bodies';
import { SegmentedChoice } from '../segmented-choice';
import type { BodyFormatTab } from './body-format';
import { BodySentence } from './body-sentence';
import { BodyText } from './body-text';

export interface BodyView {
  readonly format: BodyFormatTab;
  /** Role of the chosen content; an unknown role selects the first one. */
  readonly body: string;
  /** Path of the marked field; empty: none. */
  readonly field: string;
}

interface BodyPanelProps {
  readonly row: ResourceRowJson;
  readonly bodies: Bodies;
  readonly view: BodyView;
  readonly onViewChange: (view: Partial<BodyView>) => void;
}

export function BodyPanel({ row, bodies, view, onViewChange }: BodyPanelProps) {
  const choice = bodies.choices.find(({ role }) => role === view.body) ?? bodies.choices[0];
  if (choice === undefined) {
    return <EmptyState title="No content">{bodies.absence}</EmptyState>;
  }
  return (
    <section aria-label="Body" className="flex flex-col gap-2">
      {bodies.choices.length > 1 && (
        <div>
          <SegmentedChoice
            label="Content"
            value={choice.role}
            options={bodies.choices.map(({ role, label }) => ({ value: role, label }))}
            onChange={(body) => onViewChange({ body })}
          />
        </div>
      )}
      <BodySentence sentence={choice.sentence} isWarning={choice.isWarning} />
      <BodyText
        key={choice.hash}
        row={row}
        hash={choice.hash}
        format={view.format}
        field={view.field === '' ? null : view.field}
        onFormatChange={(format) => onViewChange({ format })}
      />
    </section>
  );
}
