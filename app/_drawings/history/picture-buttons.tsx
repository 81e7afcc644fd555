'use client';

import { useState } from 'react';
import { Button } from '@/app/_components/button';
import { savePng, saveSvg } from '../save-picture';
import type { Picture } from './draw-history-picture';

interface PictureButtonsProps {
  readonly draw: () => Picture;
  /** Without its ending. */
  readonly fileName: string;
}

/** The picture as a file. */
export function PictureButtons({ draw, fileName }: PictureButtonsProps) {
  const [problem, setProblem] = useState('');
  return (
    <span className="inline-flex items-center">
      {problem !== '' && (
        <span role="alert" className="text-[0.7857rem] text-nacked">
          {problem}
        </span>
      )}
      <Button tone="quiet" className="h-6" label="Save as SVG" onPress={() => saveSvg(draw().svg, fileName)}>
        SVG
      </Button>
      <Button
        tone="quiet"
        className="h-6"
        label="Save as PNG"
        onPress={() => {
          setProblem('');
          const picture = draw();
          savePng(picture.svg, picture, fileName).catch((error: unknown) => {
            setProblem(
              `The PNG could not be made: ${error instanceof Error ? error.message : String(error)}`,
            );
          });
        }}
      >
        PNG
      </Button>
    </span>
  );
}
