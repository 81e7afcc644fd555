'use client';

import { type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Notation } from '@/lib/views/inspector/text-lines';
import { loadOnInput } from '../load-on-input';
import { Skeleton } from '../skeleton';
import type { CodeView, CodeViewHandle, EditorStart } from './code-view';
import type { TextRange } from './find-field-range';
import { maxPlainLength } from './max-plain-length';
import { TextLines } from './text-lines';

const loadEditor = () => import('./code-view');
loadOnInput(loadEditor);

interface TextViewProps {
  readonly text: string;
  readonly language: Notation;
  /** The accessible name. */
  readonly label: string;
  /** The range that is marked and scrolled to. */
  readonly mark?: TextRange | null;
  readonly ref?: Ref<CodeViewHandle>;
}

/** Read-only text. The editor is large, so it is opened for searching, folding and long texts only. */
export function TextView({ text, language, label, mark = null, ref }: TextViewProps) {
  const [Editor, setEditor] = useState<typeof CodeView | null>(null);
  const [start, setStart] = useState<EditorStart | null>(null);
  const editor = useRef<CodeViewHandle>(null);
  const plain = useRef<HTMLDivElement>(null);
  const isLong = text.length > maxPlainLength;
  const open = useCallback(async (act: EditorStart['act'] | null) => {
    const { CodeView } = await loadEditor();
    if (act !== null && plain.current !== null) setStart({ topLine: findTopLine(plain.current), act });
    setEditor(() => CodeView);
  }, []);

  useEffect(() => {
    if (isLong) void open(null);
  }, [isLong, open]);
  useImperativeHandle(
    ref,
    () => ({
      openSearch() {
        if (editor.current === null) void open({ kind: 'search' });
        else editor.current.openSearch();
      },
    }),
    [open],
  );

  const shared = { text, language, label, mark };
  if (Editor !== null) return <Editor {...shared} start={start} ref={editor} />;
  if (isLong) return <Skeleton waitsFor="the text view" rows={8} />;
  return <TextLines {...shared} onEditor={open} ref={plain} />;
}

/** The first visible line, from 1. */
function findTopLine(scroller: HTMLElement): number {
  const lines = scroller.querySelector('[role=textbox]')?.childElementCount ?? 1;
  return 1 + Math.floor((scroller.scrollTop / scroller.scrollHeight) * lines);
}
