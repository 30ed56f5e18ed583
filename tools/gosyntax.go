// Command gosyntax prints the declarations of Go packages as JSON, with one line for each directory argument.
//
// An expression is a list that begins with its form: ["string", "a"], ["int", "1"], ["name", "x"],
// ["select", X, "Name"], ["call", function, arguments...], ["literal", type, [[key, value]...]],
// ["unary", "&", x], ["binary", "==", x, y], ["star", x], ["list", item], ["map", key, value], ["func"].
// A statement is such a list too: ["assign", [left...], [right...]], ["if", condition, [then...], [else...]],
// ["range", variable, over, [body...]], ["return", values...], ["do", expression], ["var", name, type, value],
// ["guard", statement, condition, [then...]] for an if that begins with a statement, ["block", [body...]] for
// statements in their own braces, and ["switch", expression, [[[values...], [body...]]...]].
// Any other expression or statement is ["?"]. Readers treat ["?"] as "not understood".
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

type field struct {
	Name     string   `json:"name"`
	Embedded bool     `json:"embedded,omitempty"`
	Type     any      `json:"type"`
	Tag      string   `json:"tag,omitempty"`
	Markers  []string `json:"markers,omitempty"`
}

type typeDeclaration struct {
	Name    string   `json:"name"`
	Alias   bool     `json:"alias,omitempty"`
	Struct  bool     `json:"struct,omitempty"`
	Type    any      `json:"type,omitempty"`
	Fields  []field  `json:"fields,omitempty"`
	Markers []string `json:"markers,omitempty"`
	File    string   `json:"file"`
}

type value struct {
	Name  string `json:"name"`
	Type  any    `json:"type,omitempty"`
	Value any    `json:"value,omitempty"`
	Iota  int    `json:"iota"`
	Const bool   `json:"const,omitempty"`
	File  string `json:"file"`
}

type function struct {
	Name       string  `json:"name"`
	Receiver   any     `json:"receiver,omitempty"`
	Parameters []field `json:"parameters,omitempty"`
	Body       []any   `json:"body"`
	File       string  `json:"file"`
}

type goPackage struct {
	Directory string                       `json:"directory"`
	Imports   map[string]map[string]string `json:"imports"`
	Types     []typeDeclaration            `json:"types"`
	Values    []value                      `json:"values"`
	Functions []function                   `json:"functions"`
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, directory := range os.Args[1:] {
		found, err := read(directory)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := encoder.Encode(found); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func read(directory string) (*goPackage, error) {
	found := &goPackage{Directory: directory, Imports: map[string]map[string]string{}}
	paths, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".pb.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		found.Imports[name] = imports(file)
		for _, declaration := range file.Decls {
			found.add(name, declaration)
		}
	}
	return found, nil
}

func imports(file *ast.File) map[string]string {
	found := map[string]string{}
	for _, each := range file.Imports {
		path, _ := strconv.Unquote(each.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if each.Name != nil {
			name = each.Name.Name
		}
		found[name] = path
	}
	return found
}

func (p *goPackage) add(file string, declaration ast.Decl) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		f := function{Name: d.Name.Name, Body: block(d.Body), File: file, Parameters: fields(d.Type.Params)}
		if d.Recv != nil {
			f.Receiver = expression(d.Recv.List[0].Type)
		}
		p.Functions = append(p.Functions, f)
	case *ast.GenDecl:
		var previous *ast.ValueSpec
		for at, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				p.addType(file, d, s)
			case *ast.ValueSpec:
				if d.Tok == token.CONST && len(s.Values) == 0 && previous != nil {
					s = &ast.ValueSpec{Names: s.Names, Type: previous.Type, Values: previous.Values}
				} else {
					previous = s
				}
				p.addValues(file, d.Tok == token.CONST, at, s)
			}
		}
	}
}

func (p *goPackage) addType(file string, d *ast.GenDecl, s *ast.TypeSpec) {
	t := typeDeclaration{Name: s.Name.Name, Alias: s.Assign.IsValid(), File: file}
	t.Markers = append(markers(d.Doc), markers(s.Doc)...)
	if body, ok := s.Type.(*ast.StructType); ok {
		t.Struct = true
		t.Fields = fields(body.Fields)
	} else {
		t.Type = expression(s.Type)
	}
	p.Types = append(p.Types, t)
}

func (p *goPackage) addValues(file string, constant bool, iota int, s *ast.ValueSpec) {
	for at, name := range s.Names {
		v := value{Name: name.Name, File: file, Const: constant, Iota: iota}
		if s.Type != nil {
			v.Type = expression(s.Type)
		}
		if at < len(s.Values) {
			v.Value = expression(s.Values[at])
		}
		p.Values = append(p.Values, v)
	}
}

func fields(list *ast.FieldList) []field {
	found := []field{}
	if list == nil {
		return found
	}
	for _, each := range list.List {
		f := field{Type: expression(each.Type), Markers: markers(each.Doc)}
		if each.Tag != nil {
			f.Tag, _ = strconv.Unquote(each.Tag.Value)
		}
		if len(each.Names) == 0 {
			f.Embedded = true
			found = append(found, f)
		}
		for _, name := range each.Names {
			f.Name = name.Name
			found = append(found, f)
		}
	}
	return found
}

// markers returns the lines of a comment that begin with a plus sign.
func markers(comment *ast.CommentGroup) []string {
	var found []string
	if comment == nil {
		return nil
	}
	for _, line := range comment.List {
		text := strings.TrimSpace(strings.TrimPrefix(line.Text, "//"))
		if strings.HasPrefix(text, "+") {
			found = append(found, strings.TrimPrefix(text, "+"))
		}
	}
	return found
}

func block(body *ast.BlockStmt) []any {
	found := []any{}
	if body == nil {
		return found
	}
	for _, each := range body.List {
		found = append(found, statement(each))
	}
	return found
}

func statement(s ast.Stmt) any {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return []any{"assign", expressions(s.Lhs), expressions(s.Rhs)}
	case *ast.IfStmt:
		if s.Init != nil {
			if s.Else != nil {
				break
			}
			return []any{"guard", statement(s.Init), expression(s.Cond), block(s.Body)}
		}
		var otherwise []any
		switch e := s.Else.(type) {
		case *ast.BlockStmt:
			otherwise = block(e)
		case nil:
			otherwise = []any{}
		default:
			otherwise = []any{statement(e)}
		}
		return []any{"if", expression(s.Cond), block(s.Body), otherwise}
	case *ast.RangeStmt:
		var variable any
		if s.Value != nil {
			variable = expression(s.Value)
		} else if s.Key != nil {
			variable = expression(s.Key)
		}
		return []any{"range", variable, expression(s.X), block(s.Body)}
	case *ast.ReturnStmt:
		return append([]any{"return"}, expressions(s.Results)...)
	case *ast.ExprStmt:
		return []any{"do", expression(s.X)}
	case *ast.DeclStmt:
		return declaration(s)
	case *ast.BlockStmt:
		return []any{"block", block(s)}
	case *ast.SwitchStmt:
		if s.Init != nil {
			break
		}
		return []any{"switch", expression(s.Tag), cases(s.Body)}
	}
	return []any{"?"}
}

func cases(body *ast.BlockStmt) []any {
	found := []any{}
	for _, each := range body.List {
		if clause, ok := each.(*ast.CaseClause); ok {
			values := &ast.BlockStmt{List: clause.Body}
			found = append(found, []any{expressions(clause.List), block(values)})
		}
	}
	return found
}

func declaration(s *ast.DeclStmt) any {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || len(d.Specs) != 1 {
		return []any{"?"}
	}
	v, ok := d.Specs[0].(*ast.ValueSpec)
	if !ok || len(v.Names) != 1 || len(v.Values) > 1 {
		return []any{"?"}
	}
	found := []any{"var", v.Names[0].Name, expression(v.Type), nil}
	if len(v.Values) == 1 {
		found[3] = expression(v.Values[0])
	}
	return found
}

func expressions(list []ast.Expr) []any {
	found := []any{}
	for _, each := range list {
		found = append(found, expression(each))
	}
	return found
}

func expression(e ast.Expr) any {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.BasicLit:
		switch e.Kind {
		case token.STRING:
			text, _ := strconv.Unquote(e.Value)
			return []any{"string", text}
		case token.INT:
			return []any{"int", e.Value}
		}
		return []any{"number", e.Value}
	case *ast.Ident:
		return []any{"name", e.Name}
	case *ast.SelectorExpr:
		return []any{"select", expression(e.X), e.Sel.Name}
	case *ast.CallExpr:
		return append([]any{"call", expression(e.Fun)}, expressions(e.Args)...)
	case *ast.CompositeLit:
		return []any{"literal", expression(e.Type), elements(e.Elts)}
	case *ast.UnaryExpr:
		return []any{"unary", e.Op.String(), expression(e.X)}
	case *ast.BinaryExpr:
		return []any{"binary", e.Op.String(), expression(e.X), expression(e.Y)}
	case *ast.ParenExpr:
		return expression(e.X)
	case *ast.StarExpr:
		return []any{"star", expression(e.X)}
	case *ast.ArrayType:
		return []any{"list", expression(e.Elt)}
	case *ast.MapType:
		return []any{"map", expression(e.Key), expression(e.Value)}
	case *ast.IndexExpr:
		return []any{"index", expression(e.X), expression(e.Index)}
	case *ast.FuncLit:
		return []any{"func", fields(e.Type.Params), block(e.Body)}
	case *ast.FuncType:
		return []any{"func"}
	case *ast.InterfaceType:
		return []any{"interface"}
	}
	return []any{"?"}
}

func elements(list []ast.Expr) []any {
	found := []any{}
	for _, each := range list {
		if pair, ok := each.(*ast.KeyValueExpr); ok {
			found = append(found, []any{expression(pair.Key), expression(pair.Value)})
			continue
		}
		found = append(found, []any{nil, expression(each)})
	}
	return found
}
