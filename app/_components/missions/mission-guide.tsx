'use client';

import Link from 'next/link';
import { useEffect, useState } from 'react';
import { findHint } from '@/lib/views/lab/missions';
import { Button } from '../button';
import { useHintHref } from './use-hint-href';

const focusable = 'a[href], button, input, select, [tabindex="0"]';

interface MissionGuideProps {
  /** As in "nack.1". */
  readonly hintKey: string;
  readonly onLeave: () => void;
}

/** The hint of a mission on its screen: it marks the part that the hint is about, until the mission is left. */
export default function MissionGuide({ hintKey, onLeave }: MissionGuideProps) {
  const found = findHint(hintKey);
  return found === undefined ? null : <HintBox found={found} onLeave={onLeave} />;
}

interface HintBoxProps extends Pick<MissionGuideProps, 'onLeave'> {
  readonly found: NonNullable<ReturnType<typeof findHint>>;
}

function HintBox({ found: { mission, hint, index }, onLeave }: HintBoxProps) {
  const marked = useMarkedElement(hint.target);
  const next = useHintHref()(mission, index + 1);
  return (
    <aside
      aria-label="Mission"
      className="fixed inset-x-2 bottom-2 z-40 flex flex-col gap-1.5 rounded-lg border border-line-strong bg-raised px-4 py-3 shadow-[0_8px_24px_var(--shadow)] md:inset-x-auto md:right-4 md:bottom-4 md:w-96"
    >
      <p className="font-semibold">
        {mission.title}, hint {index + 1} of {mission.hints.length}
      </p>
      <p>{hint.text}</p>
      {marked === null && (
        <p className="note">
          What the hint is about is not on this screen yet
          {mission.fault === null
            ? ': revert the faults of the lab, so that all clients send requests.'
            : ': begin the mission in the lab.'}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Button isDisabled={marked === null} onPress={() => focusWithin(marked)}>
          Go to the marked part
        </Button>
        {next !== undefined && (
          <Link href={next} prefetch={false} className="inline-flex min-h-6 items-center link">
            Next hint
          </Link>
        )}
        <Link href="/lab#missions" prefetch={false} className="inline-flex min-h-6 items-center link">
          Missions
        </Link>
        <Button tone="quiet" onPress={onLeave} className="ml-auto">
          Leave the mission
        </Button>
      </div>
    </aside>
  );
}

/** Focuses the element, or the first one in it that the keyboard reaches. */
function focusWithin(element: Element | null): void {
  const target = element?.matches(focusable) === true ? element : element?.querySelector(focusable);
  if (target instanceof HTMLElement || target instanceof SVGElement) target.focus();
}

const attribute = 'data-hinted';

/** Marks the first element that matches as long as the caller is shown, and scrolls it into view once. */
function useMarkedElement(selector: string): Element | null {
  const [element, setElement] = useState<Element | null>(null);
  useEffect(() => {
    let marked: Element | null = null;
    const mark = () => {
      const found = document.querySelector(selector);
      if (found === marked && (found === null || found.hasAttribute(attribute))) return;
      if (marked === null) found?.scrollIntoView({ block: 'center' });
      marked?.removeAttribute(attribute);
      found?.setAttribute(attribute, '');
      marked = found;
      setElement(found);
    };
    mark();
    // The element may be rendered later, and replaced.
    const observer = new MutationObserver(mark);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      marked?.removeAttribute(attribute);
    };
  }, [selector]);
  return element;
}
