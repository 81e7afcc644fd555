'use client';

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { codeTheme } from '@/app/_components/inspector/code-theme';
import { useNonce } from '@/app/_components/nonce';

interface JsonEditorProps {
  /** The initial text; later values are ignored. */
  readonly initialText: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
}

export function JsonEditor({ initialText, label, onChange }: JsonEditorProps) {
  const holder = useRef<HTMLDivElement>(null);
  const nonce = useNonce();
  const first = useRef(initialText);
  const notify = useRef(onChange);
  notify.current = onChange;

  useEffect(() => {
    if (holder.current === null) return;
    const view = new EditorView({
      parent: holder.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(nonce ?? ''),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) notify.current(update.state.doc.toString());
          }),
          lineNumbers(),
          history(),
          bracketMatching(),
          indentOnInput(),
          highlightSpecialChars(),
          drawSelection(),
          search({ top: true }),
          // Tab indents; Escape followed by Tab leaves the editor.
          keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
          json(),
          codeTheme,
          EditorView.theme({
            '.cm-cursor': { borderLeftColor: 'var(--text)' },
            '.cm-content': { caretColor: 'var(--text)' },
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [label, nonce]);

  return <div ref={holder} className="h-full min-h-0" translate="no" />;
}
