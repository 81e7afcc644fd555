import type { KeyboardEvent } from 'react';
import type { AxisMove } from '@/lib/views/history/collapsed-axis';
import type { HistoryMarks } from '@/lib/views/history/schema';
import { stepMark, stepToNack } from '@/lib/views/history/step-event';

interface HistoryKeysOptions {
  /** null: too many events to step through. */
  readonly marks: HistoryMarks | null;
  /** -1: none. */
  readonly cursorMark: number;
  readonly onStep: (mark: number) => void;
  readonly onOpen: () => void;
  readonly onMove: (move: AxisMove) => void;
  readonly widthPx: number;
}

const keyFactor = 1.5;
const panShare = 0.25;

/** The keys of the drawing: arrows, Home, End and N go from event to event, the others zoom and pan. */
export function handleHistoryKey(event: KeyboardEvent<HTMLElement>, options: HistoryKeysOptions): void {
  const { marks, cursorMark, onStep, onOpen, onMove, widthPx } = options;
  const stepTo = (mark: number | undefined) => {
    if (mark !== undefined) onStep(mark);
  };
  const move = (key: string, isShifted: boolean): boolean => {
    switch (key) {
      case '+':
      case '=':
        onMove({ factor: keyFactor });
        return true;
      case '-':
        onMove({ factor: 1 / keyFactor });
        return true;
      case 'ArrowLeft':
      case 'ArrowRight':
        if (!isShifted && marks !== null) return false;
        onMove({ dx: (key === 'ArrowLeft' ? 1 : -1) * widthPx * panShare });
        return true;
      default:
        return false;
    }
  };
  const walk = (key: string, isShifted: boolean): boolean => {
    if (marks === null) return false;
    switch (key) {
      case 'ArrowRight':
      case 'ArrowDown':
        stepTo(stepMark(marks, cursorMark, 1));
        return true;
      case 'ArrowLeft':
      case 'ArrowUp':
        stepTo(stepMark(marks, cursorMark, -1));
        return true;
      case 'n':
      case 'N':
        stepTo(stepToNack(marks, cursorMark, isShifted ? -1 : 1));
        return true;
      case 'Home':
        stepTo(stepMark(marks, -1, 1));
        return true;
      case 'End':
        stepTo(stepMark(marks, -1, -1));
        return true;
      case 'Enter':
        onOpen();
        return true;
      default:
        return false;
    }
  };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (move(event.key, event.shiftKey) || walk(event.key, event.shiftKey)) event.preventDefault();
}
