'use client';

import { useEffect, useRef } from 'react';
import { Button } from '@/app/_components/button';
import { FieldFrame } from '@/app/_components/field-frame';
import { FileButton } from '@/app/_components/file-button';
import { droppedFiles } from '@/app/_components/imports/dropped-files';
import { Panel } from '@/app/_components/panel';
import { formatBytes } from '@/lib/format/bytes';
import type { CheckInputState } from './use-check-input';

interface InputPanelProps {
  readonly input: CheckInputState;
  /** The input is everything that the server has of its types. */
  readonly isWhole: boolean;
  readonly onWhole: (isWhole: boolean) => void;
  /** Called when other resources are checked. */
  readonly onChange: () => void;
}

const example = `"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
name: cart
type: EDS
edsClusterConfig: {edsConfig: {ads: {}}}`;

export function InputPanel({ input, isWhole, onWhole, onChange }: InputPanelProps) {
  const { text, file, problem, setText, take } = input;
  async function takeAll(files: readonly File[]) {
    if (files.length === 0) return;
    await take(files);
    onChange();
  }
  const taken = useRef(takeAll);
  taken.current = takeAll;
  useEffect(() => {
    // Before the window's own listener, which imports what is dropped elsewhere.
    const drop = (event: DragEvent): void => {
      const { dataTransfer } = event;
      if (dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      void droppedFiles(dataTransfer).then(({ files }) => taken.current(files));
    };
    addEventListener('drop', drop, { capture: true });
    return () => removeEventListener('drop', drop, { capture: true });
  }, []);
  return (
    <Panel
      title="Resources"
      vantage="as a control plane would send them"
      actions={
        <>
          <FileButton isMultiple onChoose={(files) => void takeAll(files)}>
            Choose files
          </FileButton>
          <Button
            tone="quiet"
            isDisabled={text === '' && file === undefined}
            onPress={() => {
              setText('');
              onChange();
            }}
          >
            Clear
          </Button>
        </>
      }
    >
      {file !== undefined && (
        <p className="mb-2">
          <span className="font-mono">{file.name}</span>{' '}
          <span className="text-muted">({formatBytes(file.file.size)}) is checked and not shown here.</span>
        </p>
      )}
      <FieldFrame
        label="YAML, JSON or protobuf's text format; several documents are separated by ---"
        error={problem}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            value={text}
            onChange={({ target }) => setText(target.value)}
            rows={24}
            placeholder={example}
            spellCheck={false}
            className="w-full rounded-md border border-line-strong bg-raised px-2.5 py-1.5 font-mono text-small whitespace-pre placeholder:text-muted aria-invalid:border-nacked"
          />
        )}
      </FieldFrame>
      <label className="mt-2 flex items-start gap-2">
        <input
          type="checkbox"
          checked={isWhole}
          onChange={({ target }) => onWhole(target.checked)}
          className="mt-1 size-4"
        />
        <span>
          The input is everything that the server has of these types{' '}
          <span className="note">
            Listeners and clusters that it lacks are removed, as in the state-of-the-world protocol.
          </span>
        </span>
      </label>
    </Panel>
  );
}
