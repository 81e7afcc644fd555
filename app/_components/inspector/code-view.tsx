'use client';

import { defaultKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { codeFolding, foldGutter, foldKeymap } from '@codemirror/language';
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { useNonce } from '../nonce';
import { codeTheme } from './code-theme';
import type { TextRange } from './find-field-range';

export interface CodeViewHandle {
  openSearch(): void;
}

interface CodeViewProps {
  readonly text: string;
  readonly language: 'yaml' | 'json';
  /** What the text is, for a screen reader. */
  readonly label: string;
  /** What is marked and brought into sight. */
  readonly mark?: TextRange | null;
  readonly ref?: Ref<CodeViewHandle>;
}

/**
 * Read-only text of any size: only the lines in sight are in the page, so 5 MB opens in a fifth of a second.
 * Control and bidirectional characters are shown as marks, so that hostile text cannot reorder what is read.
 */
export function CodeView({ text, language, label, mark = null, ref }: CodeViewProps) {
  const holder = useRef<HTMLDivElement>(null);
  const nonce = useNonce();
  const editor = useRef<EditorView | null>(null);

  useImperativeHandle(ref, () => ({
    openSearch() {
      if (editor.current === null) return;
      openSearchPanel(editor.current);
    },
  }));

  useEffect(() => {
    if (holder.current === null) return;
    const view = new EditorView({
      parent: holder.current,
      state: EditorState.create({ doc: text, extensions: extensions(language, label, nonce) }),
    });
    editor.current = view;
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, [text, language, label, nonce]);

  useEffect(() => {
    // A new editor begins without marks: the text is one of the reasons to run.
    if (editor.current !== null && text !== '') markRange(editor.current, mark);
  }, [mark, text]);

  return <div ref={holder} className="h-full min-h-0 min-w-0 overflow-hidden" translate="no" />;
}

function extensions(language: CodeViewProps['language'], label: string, nonce: string | undefined) {
  return [
    EditorView.cspNonce.of(nonce ?? ''),
    EditorState.readOnly.of(true),
    // Not editable, yet focusable: keys scroll, search and select, and no keyboard slides in on a phone.
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
    lineNumbers(),
    codeFolding(),
    foldGutter(),
    codeMark,
    highlightSpecialChars(),
    drawSelection(),
    search({ top: true }),
    highlightSelectionMatches(),
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
    language === 'yaml' ? yaml() : json(),
    codeTheme,
  ];
}

/** Lines beyond that are not marked: a finding about a whole list would paint everything. */
const maxLines = 40;

const setMark = StateEffect.define<TextRange | null>();
const line = Decoration.line({ class: 'cm-marked-line' });

/** The lines of one range, marked. */
const codeMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setMark)) continue;
      if (effect.value === null) return Decoration.none;
      const { doc } = transaction.state;
      const first = doc.lineAt(Math.min(effect.value.from, doc.length)).number;
      const last = doc.lineAt(Math.min(Math.max(effect.value.from, effect.value.to - 1), doc.length)).number;
      const count = Math.min(last - first + 1, maxLines);
      return Decoration.set(
        Array.from({ length: count }, (_, index) => line.range(doc.line(first + index).from)),
      );
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Lines of what is around a mark that are in sight with it, in pixels. */
const marginPx = 96;

/**
 * Marks the range and brings it into sight; null takes the mark away. Nothing scrolls further than it must: what stands
 * above the text on the page stays in sight where there is room for both.
 */
function markRange(view: EditorView, range: TextRange | null): void {
  const effects: StateEffect<unknown>[] = [setMark.of(range)];
  if (range !== null) {
    const from = Math.min(range.from, view.state.doc.length);
    effects.push(EditorView.scrollIntoView(from, { y: 'nearest', yMargin: marginPx }));
  }
  view.dispatch({ effects });
}
