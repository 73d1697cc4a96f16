/** The questions of clack that are asked; its other parts, spinners and task lists, stay out of the bundle. */
export { confirm, isCancel, multiselect, password, select, text } from '@clack/prompts';
