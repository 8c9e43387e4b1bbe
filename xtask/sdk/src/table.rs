//! The table of functions that are called by their address. Describing the imports puts dozens into it that nobody calls
//! afterwards; an optimiser sees that much, and keeps their places and types.

use std::collections::HashSet;

use walrus::ir::{Value, Visitor, dfs_in_order};
use walrus::{ConstExpr, ElementItems, ElementKind, FunctionId, FunctionKind, Module, TypeId};

/// Takes out what nothing calls by its type: whoever called it would trap before, and does so now.
pub fn prune(module: &mut Module) {
    let called = called(module);
    let mut segments = Vec::new();
    for element in module.elements.iter() {
        if let ElementKind::Active { table, offset } = &element.kind
            && let ConstExpr::Value(Value::I32(first)) = offset
            && let ElementItems::Functions(functions) = &element.items
        {
            segments.push((element.id(), *table, *first, functions.clone()));
        }
    }
    for (id, table, first, functions) in segments {
        module.elements.delete(id);
        module.tables.get_mut(table).elem_segments.remove(&id);
        let places = (first..).zip(functions).collect::<Vec<_>>();
        // a segment has no gaps
        for run in places.split(|(_, function)| !called.contains(function)) {
            let Some((first, _)) = run.first() else { continue };
            let kind = ElementKind::Active {
                table,
                offset: ConstExpr::Value(Value::I32(*first)),
            };
            let items = ElementItems::Functions(run.iter().map(|(_, function)| *function).collect());
            let id = module.elements.add(kind, items);
            module.tables.get_mut(table).elem_segments.insert(id);
        }
    }
}

/// Whatever an export calls in the end: by name, or anything in the table that has the type of a call.
fn called(module: &Module) -> HashSet<FunctionId> {
    let mut in_table = Vec::new();
    for element in module.elements.iter() {
        if let ElementItems::Functions(functions) = &element.items {
            in_table.extend(functions);
        }
    }
    let exports = module.exports.iter().filter_map(|export| match export.item {
        walrus::ExportItem::Function(id) => Some(id),
        _ => None,
    });
    let mut open: Vec<_> = exports.chain(module.start).collect();
    let mut found = HashSet::new();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let FunctionKind::Local(function) = &module.funcs.get(id).kind else {
            continue;
        };
        let mut calls = Calls::default();
        dfs_in_order(&mut calls, function, function.entry_block());
        open.extend(calls.functions);
        let fits = |id: &&FunctionId| calls.types.contains(&module.funcs.get(**id).ty());
        open.extend(in_table.iter().filter(fits));
    }
    found
}

/// What a function names.
#[derive(Default)]
struct Calls {
    functions: Vec<FunctionId>,
    types: Vec<TypeId>,
}

impl Visitor<'_> for Calls {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.functions.push(*function);
    }

    fn visit_type_id(&mut self, called: &TypeId) {
        self.types.push(*called);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walrus::{FunctionBuilder, RefType, ValType};

    /// A table of a function with a result, one without, and the first again; an export calls what has a result.
    fn module() -> (Module, FunctionId) {
        let mut module = Module::default();
        let mut one = FunctionBuilder::new(&mut module.types, &[], &[ValType::I32]);
        one.func_body().i32_const(1);
        let one = one.finish(vec![], &mut module.funcs);
        let mut none = FunctionBuilder::new(&mut module.types, &[], &[]);
        none.func_body().unreachable();
        let none = none.finish(vec![], &mut module.funcs);
        let table = module.tables.add_local(false, 4, Some(4), RefType::FUNCREF);
        let kind = ElementKind::Active {
            table,
            offset: ConstExpr::Value(Value::I32(1)),
        };
        let id = module.elements.add(kind, ElementItems::Functions(vec![one, none, one]));
        module.tables.get_mut(table).elem_segments.insert(id);
        let called = module.types.add(&[], &[ValType::I32]);
        let mut export = FunctionBuilder::new(&mut module.types, &[], &[ValType::I32]);
        export.func_body().i32_const(1).call_indirect(called, table);
        let export = export.finish(vec![], &mut module.funcs);
        module.exports.add("export", export);
        (module, one)
    }

    #[test]
    fn what_is_called_keeps_its_place_and_the_rest_is_taken_out() {
        let (mut module, one) = module();
        prune(&mut module);
        let segments = module
            .elements
            .iter()
            .map(|element| match (&element.kind, &element.items) {
                (
                    ElementKind::Active {
                        offset: ConstExpr::Value(Value::I32(first)),
                        ..
                    },
                    ElementItems::Functions(functions),
                ) => (*first, functions.clone()),
                other => panic!("{other:?}"),
            });
        assert_eq!(segments.collect::<Vec<_>>(), [(1, vec![one]), (3, vec![one])]);
    }
}
