/** Text in two notations, or the parts without plain text. */
export const bodyFormats = ['yaml', 'json', 'parts'] as const;
export type BodyFormatTab = (typeof bodyFormats)[number];

export const contentRetentionHint = 'Content is deleted when its retention ends.';
