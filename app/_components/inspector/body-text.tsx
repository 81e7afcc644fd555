'use client';

import { useQuery } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { bodyFieldKey, bodyQuestion } from '@/app/_ask/body-question';
import { questionOptions } from '@/app/_ask/question';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { BytesText } from '@/app/_components/bytes-text';
import { CopyButton } from '@/app/_components/copy-button';
import { QueryContent } from '@/app/_components/query-content';
import { apiRoot } from '@/app/_hooks/api-client';
import type { Notation } from '@/lib/views/inspector/text-lines';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import { saveFile } from '../save-file';
import { SegmentedChoice } from '../segmented-choice';
import { type BodyFormatTab, contentRetentionHint } from './body-format';
import { BodyParts, countParts } from './body-parts';
import type { CodeViewHandle } from './code-view';
import { findFieldRange, type TextRange } from './find-field-range';
import { TextView } from './text-view';

interface BodyTextProps {
  /** Used in the accessible name and in file names. */
  readonly row: Pick<ResourceRowJson, 'name' | 'service'>;
  readonly hash: string;
  readonly format: BodyFormatTab;
  readonly onFormatChange: (format: BodyFormatTab) => void;
  /** Path of the marked field; null: none. */
  readonly field: string | null;
}

export function BodyText({ row, hash, format, onFormatChange, field }: BodyTextProps) {
  const notation = format === 'json' ? 'json' : 'yaml';
  const query = useQuestion('resources/{hash}', bodyQuestion(hash, notation));
  const box = useRef<HTMLElement>(null);
  const code = useRef<CodeViewHandle>(null);
  const openSearch = useCallback(() => {
    code.current?.openSearch();
    return code.current !== null;
  }, []);
  useFindKey(box, openSearch);
  const body = query.data;
  const mark = useBodyField(hash, notation, field);
  const parts = body === undefined ? 0 : countParts(body);
  const notationWord = notation.toUpperCase();

  return (
    <section
      ref={box}
      aria-label="Text"
      className="flex h-[max(20rem,calc(100dvh-26rem))] flex-col overflow-hidden card"
    >
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-2 py-1.5">
        <SegmentedChoice
          label="Format"
          value={format}
          options={[
            { value: 'yaml', label: 'YAML' },
            { value: 'json', label: 'JSON' },
            { value: 'parts', label: parts === 0 ? 'Parts' : `Parts ${parts}` },
          ]}
          onChange={onFormatChange}
        />
        {body !== undefined && format !== 'parts' && (
          <div className="ml-auto flex items-center">
            <Button tone="quiet" icon="search" label="Search in the content" onPress={openSearch}>
              Find
            </Button>
            <CopyButton text={body.text} label={`Copy the content as ${notationWord}`} />
            <Button
              tone="quiet"
              label={`Download the content as ${notationWord}`}
              onPress={() =>
                saveFile(new Blob([body.text], { type: 'text/plain;charset=utf-8' }), fileName(row, notation))
              }
            >
              Download
            </Button>
          </div>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        <QueryContent query={query} what="the content" rows={8} hint={contentRetentionHint}>
          {(loaded) =>
            format === 'parts' ? (
              <BodyParts body={loaded} />
            ) : (
              <TextView
                ref={code}
                text={loaded.text}
                language={notation}
                label={`Payload of ${row.name}`}
                mark={mark}
              />
            )
          }
        </QueryContent>
      </div>
      <footer className="flex flex-wrap items-center gap-x-3 border-t border-line px-3 py-1 note">
        <span className="inline-flex items-center gap-1" title="SHA-256 of the stored protobuf bytes">
          SHA-256 <span className="font-mono">{hash.slice(0, 12)}</span>
          <CopyButton text={hash} label="Copy the hash" />
        </span>
        {body !== undefined && (
          <BodyProtobuf hash={hash} sizeBytes={body.sizeBytes} fileName={fileName(row, 'binpb')} />
        )}
      </footer>
    </section>
  );
}

/** External names must not contain a folder or extension, or be too long. */
function fileName(row: BodyTextProps['row'], extension: 'yaml' | 'json' | 'binpb'): string {
  const name = row.name.replace(/[^\w.-]+/g, '_').slice(0, 80);
  return `${row.service.toLowerCase() || 'resource'}-${name === '' ? 'unnamed' : name}.${extension}`;
}

/** Ctrl-F or Cmd-F inside the element searches its content; outside, the browser searches the page. */
function useFindKey(element: RefObject<HTMLElement | null>, find: () => boolean): void {
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    function onKeyDown(event: KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f') return;
      if (find()) event.preventDefault();
    }
    target.addEventListener('keydown', onKeyDown);
    return () => target.removeEventListener('keydown', onKeyDown);
  }, [element, find]);
}

interface BodyProtobufProps {
  readonly hash: string;
  readonly sizeBytes: number;
  readonly fileName: string;
}

function BodyProtobuf({ hash, sizeBytes, fileName }: BodyProtobufProps) {
  const href = `${apiRoot}/resources/${encodeURIComponent(hash)}?format=binary`;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1">
      <span title="Size of the stored protobuf bytes">
        <BytesText sizeBytes={sizeBytes} /> of protobuf
      </span>
      <CopyButton text={() => readBase64(href)} label="Copy the protobuf bytes as base64" />
      <a
        href={href}
        download={fileName}
        aria-label="Download the protobuf bytes"
        title="Download the protobuf bytes"
        className="rounded px-1 link-quiet hover:bg-hover"
      >
        Download
      </a>
    </span>
  );
}

async function readBase64(href: string): Promise<string> {
  const response = await fetch(href);
  if (!response.ok) throw new Error(`expected the bytes, got ${response.status}`);
  const bytes = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error('expected the bytes, got none'));
    // "data:application/x-protobuf;base64,CgFh"; without bytes the part after the comma may be missing.
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.readAsDataURL(bytes);
  });
}

/** The range of a field in the text of a body; null until it is known, and for no field or one that is not there. */
function useBodyField(hash: string, notation: Notation, field: string | null): TextRange | null {
  const { data } = useQuery({
    queryKey: bodyFieldKey(hash, notation, field ?? ''),
    async queryFn({ client }): Promise<TextRange | null> {
      const { text } = await client.fetchQuery(
        questionOptions('resources/{hash}', bodyQuestion(hash, notation)),
      );
      return (await findFieldRange(text, field ?? '')) ?? null;
    },
    enabled: field !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? null;
}
