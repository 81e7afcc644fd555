'use client';

import { BodySentence } from '@/app/_components/inspector/body-sentence';
import type { NackDetail } from '@/lib/api/nacks';
import { EmptyState } from '../../../_components/empty-state';
import type { BodyFormatTab } from '../../../_components/inspector/body-format';
import { BodyText } from '../../../_components/inspector/body-text';
import { SegmentedChoice } from '../../../_components/inspector/segmented-choice';
import { Panel } from '../../../_components/panel';

interface PayloadPanelProps {
  readonly nack: NackDetail;
  /** Path of the field that is marked; empty: none. */
  readonly field: string;
  readonly body: string;
  readonly format: BodyFormatTab;
  readonly onChange: (change: { readonly body?: string; readonly format?: BodyFormatTab }) => void;
}

interface Choice {
  readonly value: 'refused' | 'before' | 'after';
  readonly label: string;
  readonly hash: string;
  readonly sentence: string;
  readonly isWarning: boolean;
}

/** What was refused, with the field marked in it; beside it what was in use before, and what was taken after. */
export function PayloadPanel({ nack, field, body, format, onChange }: PayloadPanelProps) {
  const choices = listChoices(nack);
  const choice = choices.find(({ value }) => value === body) ?? choices[0];
  return (
    <Panel
      title="The payload"
      vantage={nack.payload === null ? 'nobody has it' : 'see below whose word it is'}
    >
      <div className="flex flex-col gap-2">
        {nack.payload === null && (
          <EmptyState title="The refused body is not known">{nack.absence}</EmptyState>
        )}
        {choices.length > 1 && (
          <div>
            <SegmentedChoice
              label="Which body"
              value={choice?.value ?? 'refused'}
              options={choices.map(({ value, label }) => ({ value, label }))}
              onChange={(next) => onChange({ body: next })}
            />
          </div>
        )}
        {choice !== undefined && (
          <>
            <BodySentence sentence={choice.sentence} isWarning={choice.isWarning} />
            <BodyText
              key={choice.hash}
              row={nack.group}
              hash={choice.hash}
              format={format}
              onFormatChange={(next) => onChange({ format: next })}
              field={field === '' ? null : field}
            />
          </>
        )}
      </div>
    </Panel>
  );
}

function listChoices({ payload, before, after }: NackDetail): Choice[] {
  const choices: Choice[] = [];
  if (payload !== null) {
    const { hash, sentence, isWarning } = payload;
    choices.push({ value: 'refused', label: 'Refused', hash, sentence, isWarning });
  }
  if (before?.hash != null) {
    const sentence = `What the client had accepted before, and kept in use${versionText(before.versionInfo)}. It is not the refused one.`;
    choices.push({ value: 'before', label: 'In use before', hash: before.hash, sentence, isWarning: true });
  }
  if (after?.hash != null) {
    const sentence = `What the client accepted after, and what mended it${versionText(after.versionInfo)}.`;
    choices.push({ value: 'after', label: 'Accepted after', hash: after.hash, sentence, isWarning: true });
  }
  return choices;
}

function versionText(version: string): string {
  return version === '' ? '' : ` (version ${version})`;
}
