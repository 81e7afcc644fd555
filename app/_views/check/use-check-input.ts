'use client';

import { useCallback, useEffect, useState } from 'react';
import { useResourceBody } from '@/app/_ask/use-resource-body';
import { formatBytes } from '@/lib/format/bytes';
import { formatCounted } from '@/lib/format/count';

/** Larger text is checked as a file, and is not edited. */
const mostEditedBytes = 512 * 1024;
/** The server accepts no larger document. */
const mostBytes = 64 * 1024 * 1024;

interface CheckedFile {
  readonly name: string;
  readonly file: Blob;
}

export interface CheckInputState {
  readonly text: string;
  /** Set in place of a text: it is binary, or too large to be edited. */
  readonly file?: CheckedFile | undefined;
  /** Why files were not taken; empty if they were. */
  readonly problem: string;
  setText(text: string): void;
  take(files: readonly File[]): Promise<void>;
}

/** The resources to check. `body` is the hash of a resource to begin with. */
export function useCheckInput({
  body,
  type,
}: {
  readonly body: string;
  readonly type: string;
}): CheckInputState {
  const [typed, setTyped] = useState<string | undefined>();
  const [file, setFile] = useState<CheckedFile>();
  const [problem, setProblem] = useState('');
  const begun = useResourceBody(body === '' ? null : body);
  const setText = useCallback((text: string) => {
    setTyped(text);
    setFile(undefined);
    setProblem('');
  }, []);
  // Another link to the page begins anew.
  useEffect(() => {
    if (body !== '') setTyped(undefined);
  }, [body]);
  const first =
    body === '' || begun.data === undefined ? '' : withType(begun.data.text, type || begun.data.typeUrl);
  return {
    text: typed ?? first,
    file,
    problem,
    setText,
    async take(files) {
      const size = files.reduce((sum, each) => sum + each.size, 0);
      if (size > mostBytes) {
        setProblem(`Expected at most ${formatBytes(mostBytes)}, got ${formatBytes(size)}.`);
        return;
      }
      const texts = await Promise.all(files.map(readText));
      const binary = files.filter((_, at) => texts[at] === undefined);
      const isText = binary.length === 0;
      if (!isText && binary.length < files.length) {
        const names = binary.map((each) => each.name).join(', ');
        setProblem(
          `Expected files of text or files of protobuf, got protobuf in ${names} and text in others.`,
        );
        return;
      }
      const joined = joinDocuments(texts.filter((text) => text !== undefined));
      if (isText && size <= mostEditedBytes) {
        setText(joined);
        return;
      }
      const name = files.length === 1 ? (files[0]?.name ?? '') : formatCounted(files.length, 'file');
      setText('');
      setFile({ name, file: isText ? new Blob([joined]) : await joinMessages(files) });
    },
  };
}

function withType(text: string, typeUrl: string): string {
  return `"@type": ${typeUrl}\n${text}`;
}

/** Returns undefined for a file that is not text. */
async function readText(file: File): Promise<string | undefined> {
  const bytes = await file.arrayBuffer();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: binary protobuf has control characters.
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined; // The bytes are no UTF-8.
  }
}

/** Several messages in a row, each in a frame of gRPC. A file of frames begins with 0, as no message does. */
async function joinMessages(files: readonly File[]): Promise<Blob> {
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0) return only;
  const parts = files.map(async (file) => {
    const [first] = new Uint8Array(await file.slice(0, 1).arrayBuffer());
    const header = new DataView(new ArrayBuffer(5));
    header.setUint32(1, file.size);
    return first === 0 ? [file] : [header, file];
  });
  return new Blob((await Promise.all(parts)).flat());
}

/** Several documents in a row: of JSON as they are, otherwise as documents of YAML. */
function joinDocuments(texts: readonly string[]): string {
  const areJson = texts.every((text) => /^\s*[[{]/.test(text));
  return texts.map((text) => text.trimEnd()).join(areJson ? '\n' : '\n---\n');
}
