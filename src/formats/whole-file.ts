import type { Json } from '../lib/json.ts';
import type { Edit, Format, Place, Result } from './format.ts';
import { bad, edited, good } from './outcome.ts';
import { toLf } from './text-lines.ts';

const START = { offset: 0, line: 1, column: 1 } as const;

/**
 * A file that is wholly ours (scripts, skills). An empty file holds nothing that could be lost, so it counts as absent,
 * and an empty value cannot be told from it.
 */
export const wholeFileFormat: Format = {
  id: 'whole',
  parse: (text) => good(text === '' ? undefined : toLf(text)),
  read(text, place) {
    const wrong = checkPlace(place);
    if (wrong !== undefined) return wrong;
    return good(text === '' ? { state: 'absent' } : { state: 'present', value: toLf(text), at: START });
  },
  insert(text, place, value) {
    const wrong = checkPlace(place);
    if (wrong !== undefined) return wrong;
    if (text !== '') return bad('edit/unprovable', 'the file is not empty, so nothing is put in its place');
    return replaceBy(value);
  },
  update(_text, place, change) {
    const wrong = checkPlace(place);
    if (wrong !== undefined) return wrong;
    const value = change.set.get('');
    if (value === undefined || change.unset.length > 0)
      return bad('edit/unsupported', 'a whole file has no parts that could be changed one by one');
    return replaceBy(value);
  },
  remove(_text, place) {
    return checkPlace(place) ?? edited('');
  },
  snippet: (_place, value) => String(value),
  locate: (text, path) => (path.length === 0 && text !== '' ? START : undefined),
};

function checkPlace(place: Place): ReturnType<typeof bad> | undefined {
  return place.kind === 'file' ? undefined : bad('edit/unsupported', `a whole file holds no ${place.kind}`);
}

function replaceBy(value: Json): Result<Edit> {
  if (typeof value !== 'string') return bad('edit/unsupported', 'the content of a whole file must be text');
  if (value === '') return bad('edit/unsupported', 'an empty file cannot be told from one that is not there');
  return edited(value);
}
