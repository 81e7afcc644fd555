'use client';

import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { findMarkedLines, layoutTextLines, type Notation } from '@/lib/views/inspector/text-lines';
import type { EditorStart } from './code-view';
import type { TextRange } from './find-field-range';

interface TextLinesProps {
  readonly text: string;
  readonly language: Notation;
  /** The accessible name. */
  readonly label: string;
  /** The range that is marked and scrolled to. */
  readonly mark: TextRange | null;
  readonly onEditor: (act: EditorStart['act']) => void;
  readonly ref: RefObject<HTMLDivElement | null>;
}

const toneClasses = { key: 'text-listener', number: 'text-cluster', word: 'text-route', sign: 'text-muted' };

/** Read-only text as lines of the page, which look like those of the editor. */
export function TextLines({ text, language, label, mark, onEditor, ref }: TextLinesProps) {
  const gutter = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => layoutTextLines(text, language), [text, language]);
  const marked = useMemo(() => (mark === null ? null : findMarkedLines(text, mark)), [text, mark]);

  useEffect(() => {
    if (marked !== null)
      content.current?.querySelector('[data-marked]')?.scrollIntoView({ block: 'nearest', inline: 'start' });
  }, [marked]);
  useEditorActs({ gutter, content, onEditor });

  return (
    <div
      ref={ref}
      translate="no"
      className="h-full overflow-auto bg-raised font-mono text-small leading-[1.55] has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus"
    >
      <div className="flex min-h-full w-max min-w-full py-[6px]">
        {/* Wide enough for the numbers, as in the editor. */}
        <div
          ref={gutter}
          aria-hidden="true"
          className="sticky left-0 -my-[6px] shrink-0 border-r border-line bg-raised py-[6px] text-right text-muted select-none"
        >
          {lines.map(({ number, isFoldable }) => (
            <div key={number} className="flex h-[1.55em] justify-end">
              <span className="min-w-[2.2em] pr-[4px] pl-[10px]">{number}</span>
              <span
                data-fold={isFoldable ? number : undefined}
                className="w-[calc(1ch+8px)] px-[4px] text-left data-fold:cursor-pointer"
              >
                {isFoldable ? '⌄' : ''}
              </span>
            </div>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a textarea has no colours and no marked lines. */}
        <div
          ref={content}
          role="textbox"
          aria-multiline="true"
          aria-readonly="true"
          aria-label={label}
          tabIndex={0}
          className="flex-1 whitespace-pre outline-none"
        >
          {lines.map(({ number, parts }) => (
            <div
              key={number}
              data-marked={(marked !== null && number >= marked.first && number <= marked.last) || undefined}
              className="h-[1.55em] scroll-my-[96px] scroll-ml-[96px] pr-[2px] pl-[6px] data-marked:bg-nacked/14 data-marked:shadow-[inset_3px_0_0_var(--status-nacked)]"
            >
              {[...parts].map(([column, { tone, text: part }]) =>
                tone === null ? (
                  part
                ) : (
                  <span key={column} className={toneClasses[tone]}>
                    {part}
                  </span>
                ),
              )}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

interface EditorActs extends Pick<TextLinesProps, 'onEditor'> {
  readonly gutter: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
}

/** Opens the editor for its keys and for its marks beside foldable lines. Select all selects the text alone. */
function useEditorActs({ gutter, content, onEditor }: EditorActs): void {
  useEffect(() => {
    const [marks, lines] = [gutter.current, content.current];
    if (marks === null || lines === null) return;
    const fold = ({ target }: MouseEvent) => {
      const line = target instanceof HTMLElement ? Number(target.dataset.fold) : Number.NaN;
      if (line > 0) onEditor({ kind: 'fold', line });
    };
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey)) return;
      if (event.code.startsWith('Bracket')) onEditor({ kind: 'key', event });
      else if (event.key.toLowerCase() === 'a') getSelection()?.selectAllChildren(lines);
      else return;
      event.preventDefault();
    };
    marks.addEventListener('click', fold);
    lines.addEventListener('keydown', press);
    return () => {
      marks.removeEventListener('click', fold);
      lines.removeEventListener('keydown', press);
    };
  }, [gutter, content, onEditor]);
}
