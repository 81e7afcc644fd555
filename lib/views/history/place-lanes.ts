import { formatName } from '../../format/names/format-name';

/** The content of a row, which is a lane of marks or a type of a density. */
export interface RowSource {
  readonly clientId: string | undefined;
  readonly nodeId: string | undefined;
  readonly label: string;
  readonly typeUrl: string | undefined;
  readonly sourceId: string;
  readonly track: number;
}

/** One line of the drawing: a heading or a lane, in CSS pixels from the top of all rows. */
type HistoryRow =
  | {
      readonly kind: 'client';
      readonly id: string;
      readonly label: string;
      readonly clientId: string | undefined;
      readonly y: number;
      readonly heightPx: number;
    }
  | {
      readonly kind: 'lane';
      readonly id: string;
      readonly label: string;
      /** The source id, on the first lane of each stream or source; '' on other lanes, and if the label is the same. */
      readonly source: string;
      /** The label with source and track, for a tooltip. */
      readonly title: string;
      readonly lane: number;
      readonly y: number;
      readonly heightPx: number;
    };

export interface PlacedLanes {
  readonly rows: readonly HistoryRow[];
  readonly middles: Float64Array;
  readonly heightPx: number;
}

export const laneHeightPx = 22;
const headingHeightPx = 22;
const groupGapPx = 6;

/** Places lanes below each other. `withHeadings` adds a heading for each client. */
export function placeLanes(lanes: readonly RowSource[], withHeadings: boolean): PlacedLanes {
  const rows: HistoryRow[] = [];
  const middles = new Float64Array(lanes.length);
  let y = withHeadings ? 0 : groupGapPx / 2;
  let before: RowSource | undefined;
  lanes.forEach((lane, place) => {
    const isNewClient = before === undefined || before.clientId !== lane.clientId;
    const isNewGroup = isNewClient || before?.sourceId !== lane.sourceId || before.track !== lane.track;
    if (isNewClient && withHeadings) {
      if (before !== undefined) y += groupGapPx;
      const label = lane.clientId === undefined ? 'no client' : formatName(lane.nodeId ?? lane.clientId);
      const id = `client ${lane.clientId ?? ''}`;
      rows.push({ kind: 'client', id, label, clientId: lane.clientId, y, heightPx: headingHeightPx });
      y += headingHeightPx;
    } else if (before !== undefined && isNewGroup) {
      y += groupGapPx;
    }
    const track = lane.track === 0 ? '' : `, stream ${lane.track + 1} at the same time`;
    const title = `${lane.label}${lane.sourceId === '' ? '' : ` of ${lane.sourceId}`}${track}`;
    rows.push({
      kind: 'lane',
      id: `lane ${place}`,
      label: lane.label,
      source: isNewGroup && lane.label !== lane.sourceId ? lane.sourceId : '',
      title,
      lane: place,
      y,
      heightPx: laneHeightPx,
    });
    middles[place] = y + laneHeightPx / 2;
    y += laneHeightPx;
    before = lane;
  });
  return { rows, middles, heightPx: y + groupGapPx / 2 };
}
