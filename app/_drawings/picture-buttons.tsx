'use client';

import { useState } from 'react';
import { Button } from '@/app/_components/button';
import { formatIsoTime } from '@/lib/format/iso-time';
import { messageOf } from '@/lib/format/message-of';
import type { EpochMs } from '@/lib/xds/units';
import type { Picture } from './save-picture';

interface PictureButtonsProps {
  /** The text of an SVG file and its size in CSS pixels; null before the picture is drawn. */
  readonly draw: () => Picture | null | Promise<Picture | null>;
  /** The beginning of the file's name. */
  readonly name: string;
  /** The time that the picture shows, which is the rest of the file's name. */
  readonly at: EpochMs;
}

export function PictureButtons({ draw, name, at }: PictureButtonsProps) {
  const [problem, setProblem] = useState('');
  const save = async (format: 'savePng' | 'saveSvg') => {
    setProblem('');
    try {
      const picture = await draw();
      const fileName = `${name}-${formatIsoTime(at).slice(0, 19).replaceAll(':', '')}`;
      if (picture !== null) await (await import('./save-picture'))[format](picture, fileName);
    } catch (error) {
      setProblem(`Couldn’t save the picture: ${messageOf(error)}`);
    }
  };
  return (
    <span className="inline-flex items-center">
      {problem !== '' && (
        <span role="alert" className="text-tiny text-nacked">
          {problem}
        </span>
      )}
      <Button tone="quiet" label="Save as SVG" onPress={() => void save('saveSvg')}>
        SVG
      </Button>
      <Button tone="quiet" label="Save as PNG" onPress={() => void save('savePng')}>
        PNG
      </Button>
    </span>
  );
}
